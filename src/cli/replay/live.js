// A run that goes on: asks for what it has left so far, and shows its end as it moves on.

const LIVE_INTERVAL = 400;
// Share of the time that asking may take.
const LIVE_SHARE = 0.25;

// Calls `take` with the run so far, and with its end; stops after it or when nobody answers.
function watchRun(take) {
  let failures = 0;
  const ask = async () => {
    const begun = performance.now();
    let live = true;
    try {
      const answer = await fetch("run.json");
      if (!answer.ok) throw new Error(answer.statusText);
      const run = await answer.json();
      take(run);
      live = run.live;
      failures = 0;
    } catch (error) {
      failures += 1;
      if (failures > 5) {
        take(null);
        return;
      }
    }
    if (live) setTimeout(ask, Math.max(LIVE_INTERVAL, (performance.now() - begun) / LIVE_SHARE));
  };
  setTimeout(ask, LIVE_INTERVAL);
}
