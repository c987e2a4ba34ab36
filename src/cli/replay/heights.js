// Height fields of the terrain, as quadrilaterals from far to near.

// Those that are near enough to what is looked at.
function heightPatches({ scene, camera, follow, robotSize }) {
  const reach = follow ? 4 * robotSize : Infinity;
  return scene.terrain.filter((piece) => piece.kind === "heights").flatMap(({ origin, cell, rows }) => {
    const at = (i, j) => [origin[0] + i * cell[0], origin[1] + j * cell[1], rows[j][i]];
    const patches = [];
    for (let j = 0; j + 1 < rows.length; j += 1) {
      for (let i = 0; i + 1 < rows[j].length; i += 1) {
        const corners = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        const near = [0, 1].every((k) => Math.abs(corners[0][k] - camera.target[k]) <= reach);
        if (near) patches.push({ corners, depth: camera.depth(scaled(add(corners[0], corners[2]), 0.5)) });
      }
    }
    return patches;
  }).sort((a, b) => a.depth - b.depth);
}

function drawHeights(view) {
  const { camera, context } = view;
  const colour = theme.dark ? [58, 66, 76] : [226, 230, 234];
  context.lineWidth = 0.6;
  for (const { corners } of heightPatches(view)) {
    const normal = cross(subtract(corners[2], corners[0]), subtract(corners[3], corners[1]));
    const light = Math.max(0, dot(normal, LIGHT) / (length(normal) || 1));
    view.polygon(corners.map((corner) => camera.project(corner)));
    context.fillStyle = rgb(colour, 0.45 + 0.65 * light);
    context.strokeStyle = rgb(colour, 0.4 + 0.55 * light);
    context.fill();
    context.stroke();
  }
}
