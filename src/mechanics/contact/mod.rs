//! Geometry of touching: sites on links, pieces of terrain, gaps with exact gradients, and which contacts there are.
//!
//! Source: none with a key; what is claimed is proved here.
//!
//! # Gaps
//!
//! A site is a point, a sphere, an arc of a circle (a C-shaped leg) or the edge of a disc, with a tube around it;
//! terrain is a plane of any slope, an axis-aligned box (a step), heights over a grid or a smooth surface of one's own.
//! x₀ and x₁ are the closest points of site and surface, n the unit normal out of the surface, φ the signed distance (m):
//!
//! ```text
//! x₀ = x₁ + φ n,     φ > 0 apart,  φ = 0 touching
//! Dφ = nᵀ(J(x₀) − J(x₁)),     T = tᵀ(J(x₀) − J(x₁)),     J Jacobians of the material points that are there now
//! ```
//!
//! *Exact, although x₀ moves along a circle.* φ(q) = min over the place s on the circle of the distance d(q, s). By the
//! envelope theorem dφ/dq = ∂d/∂q at the minimiser, as long as it is unique and the distance smooth there; ∂d/∂q at
//! fixed s is the motion of a material point. ∎ T v is the slip of the material point, so a wheel or a curved foot
//! rolls.
//!
//! A ball over a plane or a box is closed form. A circle over a box is a minimisation along the circle: outside of the
//! box the distance is continuously differentiable and (d∘p)″ ≥ −R (R the radius), because the distance to a convex
//! body is convex; so a grid with refinement where slopes are nearly zero misses no minimum, and what is nearest there
//! (face, edge, corner) gives normal and derivatives in closed form.
//!
//! # Smooth surfaces
//!
//! A [`HeightField`] is a surface z = f(x, y), f a tensor product of natural cubic splines through the heights of a grid:
//! C² everywhere, also across the borders of its cells and beyond its edge, where it levels off. A [`SmoothSurface`] is
//! any surface that knows its signed distance with two derivatives. With S the shape operator at the closest point (S n
//! = 0, eigenvalues κ > 0 on hills),
//!
//! ```text
//! φ = d(c) − r,     ∇d = n,     ∇²d = (I + d S)⁻¹ S                       a ball of radius r around c
//! φ(θ) = d(p(θ)) − r,     dφ/dθ = n·p′,   d²φ/dθ² = p′ᵀ ∇²d p′ + n·p″     a circle p(θ), least over θ
//! ```
//!
//! (proof: [`SmoothSurface`]). So gap, row and the row's derivative are exact and continuous: a foot that slides
//! over any number of cells meets no seam, no kink and no event. The closest point is that near the vertical through the
//! site; it is the only one near where r κ < 1 in the valleys, and sites that do not fit into a valley of a height field
//! are refused when contacts are made.
//!
//! A disc that lies on bent ground has d(θ) = A + B cos(θ − α) + C cos(2θ − β) along its rim, two minima where B < 4C: it bridges
//! a valley, and rocks. Up to a tilt of 30 degrees each sixteenth of its rim has a contact of its own at the minimum in it, if there
//! is one (`:0`, `:01`, `:1` … `:70`); what runs from one into the next is handed over. Of an arc so many parts between its ends have
//! one that none is longer (`:1`, `:2` …), beside the ends themselves where it rises from them. On flat parts of the ground (C = 0)
//! disc and arc are held as over a plane.
//!
//! *What remains.* Of two minima in one sixteenth the lower one is held: where one splits in two a disc may sink by a micrometre, an arc by four. The
//! flat of an end inside of its rim does not touch, so a can that is put down on the top of a hill is held by its rim. Of shapes on shapes: sides and edges that are
//! parallel to within some hundredths of a radian, but not along each other, cross in a point that runs along both at any speed.
//!
//! # Surfaces that move
//!
//! The material of a piece of terrain may move along its surface with a constant velocity w (m/s): the belt of a
//! treadmill. The surface stays where it is, so gaps and normal rows do not know of it; slips are T v − tᵀw. Its work is
//! that of the friction on it ([`ContactFrame::drive`]).
//!
//! A whole piece may go to and fro ([`Shaking`]), d(t) = a sin(2πft + ψ), in any direction. Then gaps depend on time, which
//! [`Kinematics`](crate::dynamics::Kinematics) carries as its `clock`:
//!
//! ```text
//! φ(q, t) = φ(q; surface at d(t)),     φ̇ = Dφ v − nᵀḋ,     slips T v − tᵀ(w + ḋ)
//! ```
//!
//! Over a step of length h its velocity is the mean (d(t + h) − d(t))/h, so what sticks goes exactly as far as the piece and
//! does not drift. Its work is that of all forces on it.
//!
//! # Surfaces that bodies carry
//!
//! A [`CarriedSurface`] is a sphere, box, capsule or cylinder fixed in a body. Sites of other bodies are measured in its frame
//! X(q), with the formulas of terrain; the row is that of the relative motion, so both bodies' momentum goes through it:
//!
//! ```text
//! φ(q) = φ_surface(X(q)⁻¹ x(q)),     Dφ = nᵀ(J_site(x₀) − J_carrier(x₁))
//! ```
//!
//! [`Contacts::with_carried`] lists the contacts of pairs of bodies that may touch; [`collision_surfaces`] are the collision
//! shapes of a description. Tangents over the faces of boxes and cylinders turn with the carrier; where nothing flat touches they go
//! on smoothly with the normal, because those of the start, the middle and the end of a step count as one pair. A capsule's curvature jumps
//! where its ends begin, a cylinder has rims: seams, as the edges of boxes are.
//!
//! Rims of discs touch a carried cylinder by its side, each sixteenth at the minimum in it as on bent ground
//! (`can_0:12:side@log`), and by its ends as planes (`can_0:3:upper@log`), inside of the rim at which side and end end. Where a rim
//! crosses the rim of the cylinder, n is across both tangents,
//!
//! ```text
//! n = ± t₀ × t₁ / |t₀ × t₁|,     φ = n·(x₀ − x₁)
//! ```
//!
//! and either sign is a contact (`can_0:upper_rim_a@log`, `can_0:upper_rim_b@log`): the corners of what two flat ends have in common.
//!
//! # Edges and sides
//!
//! Where the corners of a box touch another box, so do its edges, and its faces the other's corners; capsules and cylinders
//! touch by their sides what they touch by their ends. An edge is an axis, a side all that is at a distance r from one. Two of
//! them that cross touch at the closest points of the axes' lines,
//!
//! ```text
//! n = ± d₀ × d₁ / |d₀ × d₁|,     φ = n·(c₀ − c₁) − r₀ − r₁,     Dφ = nᵀ(J(x₀) − J(x₁)),   x₀ = c₀ − r₀ n,  x₁ = c₁ + r₁ n
//! ```
//!
//! Such a contact is there while both points are inside of their edges or sides, and n between the normals of the faces beside an
//! edge; two boxes have 36, of which eight at most are there at once, a box and a side six, two sides one. Where one comes to an
//! end, a corner goes on over a face, or the end of a capsule or cylinder over an edge. The other way round, where an end over an
//! edge or a side comes to where its own side begins (n across its axis) is a seam: further on the side would be δ²/2R in the edge. [`Contacts::with_carried`] adds them for
//! shapes that bodies carry, [`Contacts::with_terrain_edges`] for such shapes and terrain, with the corners of terrain that no
//! other piece covers.
//!
//! A disc that is no end of a shape is solid inside of its rim. With z the height of a corner of terrain over its plane on one side,
//! ρ the distance from its axis and eₖ the edges of the box from that corner,
//!
//! ```text
//! φ = z,     there while ρ < R and all eₖ·z ≥ 0
//! ```
//!
//! for each side (`post_4@wheel:upper`, `:lower`), and so for the corners of boxes that other bodies carry. Further out, and where an edge goes through the plane, the rim touches the edges.
//!
//! # Several places, seams
//!
//! A site may touch one piece of terrain in more than one place, each a contact of its own with its own gap, row and
//! event: the nearest point of an arc between its ends, these (`:start`, `:end`), eight points of the rim of a disc that lies
//! nearly flat (`:0` … `:7`; at the tilt where its lowest point is given up, the rim between them is less than 1e-9 m
//! lower, for any radius below a metre), of an arc as many between its ends as are no farther apart (`:1` …, without columns in
//! tables), the minima in sixteenths of a disc's rim on bent ground (`:01` … `:70` between those), and both ends of the chord of a
//! disc, or of an arc, with each edge of a box, on which it
//! tips (`:yhl0` is the end towards lower y of the edge along y at high x and low z; they have no columns in tables, and instead of
//! them the nearest point is there where they run into each other), and where an arc bends around an edge, of which it may touch two
//! (`:yhl`). [`Contacts::is_present`] says which are there. A lowest point
//! that jumped from one end to the other without an impact would make energy from nothing.
//!
//! A disc that falls flat is held by the point on the side that it came down on ([`HeldPlace`]): with the tilt d ∈ ℝ² (the
//! direction of the lower side times the sine of the angle) the lowest point is C + R d/|d|, which turns by half a turn
//! while d passes zero. d·d₀ = 0 is a seam: there the disc is flat, or its lowest point a quarter turn on, and a new piece
//! begins. The lowest point turns by an eighth of a radian in a piece of a step at most. Where d passes zero so closely that
//! the turn takes less than an eighth of a step, or that d is rounding (below 1e-6), what presses on the rim meanwhile is one
//! strike of all of it. A disc with such a d is held by a point that stays where it is on the rim.
//!
//! Pieces of terrain that join have no collision at the seam: a face that another piece covers is not there. A *seam*
//! function is positive while a held contact stays over what it is over and changes sign where its place ends or the
//! curvature of its gap jumps; runs locate its zero like that of a gap.
//!
//! # Collision shapes
//!
//! [`collision_sites`] makes sites of the collision shapes of a robot's description. Over a plane with normal n the lowest
//! point of a convex body B is where its support function h_B(−n) = max over x in B of −n·x is reached; of a box that is a
//! corner, of a capsule a point of an end sphere, of a cylinder a point of an end's edge, so these sites have the gap of the
//! body, −h_B(−n) over a plane through the origin, in every attitude. A mesh is represented by at most 16 vertices of its
//! convex hull ([`mesh_points`]): those that bring the support function of their own hull to within 1 % of the mesh's extent
//! in 512 directions.
//!
//! # Far sites
//!
//! All sites of a body lie in a sphere fixed in it, with centre c and radius R. Its contacts with one piece of terrain have
//! φ ≥ d(c) − R, d the distance of the piece, and |φ̇| ≤ |v| + |ω| ρ for a twist (v, ω) of the body whose sphere reaches ρ
//! from the origin of its frame. Runs ask these two numbers before they look at a contact (`hybrid`): what they leave out is
//! what they would have dismissed, so the bits are the same, and a robot with hundreds of sites costs what those near the
//! terrain cost.
//!
//! # Materials
//!
//! Friction μ ≥ 0 and restitution e in \[0, 1\] of two surfaces become those of their contact by a rule
//! ([`Combination`]): minimum, maximum, mean, geometric mean, product. All keep \[0, 1\] and \[0, ∞) closed.
//!
//! # Joint limits
//!
//! Contacts with gap q − q_min or q_max − q (rad or m), row ±e_i, no tangents, and a restitution of their own.
//! A latch ([`Latch`]) catches a joint that strikes one and holds it, q̇_i = 0 by a force of any sign, until another contact
//! strikes: the knee of a walker. The strike is then one without that coordinate, p ↦ p without p_i in the kinetic metric
//! of the others.
//!
//! # Planar models
//!
//! If all motion is parallel to one plane ([`planar_normal`]), and so are all circles of sites, contacts have one tangent, in that
//! plane. With a circle that is not, as the rim of a can that stands, they are those of bodies in space, of which the motion leaves
//! out what it has no coordinates for.
//!
//! # Declared, and limits
//!
//! Gaps are continuous but where a site leaves a surface, and where a site high over uneven ground is as near to two
//! places of it. Sites touch terrain and what other bodies carry; in declared pairs, points and spheres touch each other. Of
//! meshes the points touch, not what lies between them; over smooth ground and hills so do capsules and cylinders.
//! Boxes of sites that are inactive at times touch by their corners alone, and edges and sides that are parallel to a
//! thousandth not at all. A corner of terrain that slides off a box past its edge may go on against the face beside it and sink
//! in. Whether a site fits into valleys is looked for at sixteen places of every cell, for surfaces of one's own and
//! where a field levels off beyond its edge not at all. Nothing covers smooth surfaces and they cover nothing: a box that
//! stands in hills keeps its buried faces. Pieces that shake are drawn where they were
//! declared; runs on them are not differentiated. Not covered: two places inside of one
//! arc that are nearest to one box at once, as of an arch that stands over it (the nearer is found), an arc that lies nearly flat
//! across the edge of a
//! face, the rim of an arc beside which a corner of a box goes in past the ends of both edges, balls, capsules and rims of carried
//! cylinders on the
//! flats of declared discs, pieces of terrain that move in each other, arcs on carried cylinders, the corners of
//! two ends of nearly one size whose axes are less than two hundredths of a radius apart, carried meshes (their points are sites),
//! a circle threaded so far through a box that opposite faces are equally near (no derivative there).
//!
//! # Example
//!
//! The gap gradient of a C-shaped leg against differences.
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::contact::{Combination, Contacts, Material, Site, SiteShape, Terrain};
//! use carom::dynamics::Kinematics;
//! use carom::model::sample::chain;
//!
//! let model = chain(2)?;
//! let rubber = Material::new(0.8, 0.0);
//! let axes = [[1.0, 0.0, 0.0].into(), [0.0, 0.0, -1.0].into()];
//! let shape = SiteShape::Arc { axes, radius: 0.2, start: 0.0, end: 3.0, thickness: 0.01 };
//! let site = Site::new(&model, "toe", "link2", [0.5, 0.0, 0.0], shape, rubber)?;
//! let floor = Terrain::plane("floor", [0.0, 0.0, -1.5], [0.1, 0.0, 1.0], rubber);
//! let contacts = Contacts::new(&model, vec![site], vec![floor], &[], Combination::Minimum)?;
//! let gap = |q: [f64; 2]| {
//!     let mut kinematics = Kinematics::<f64>::new(&model);
//!     kinematics.update_placements(&model, &q);
//!     let mut row = vec![0.0; 2];
//!     let frame = contacts.frame(&kinematics, 0);
//!     frame.row(&model, &kinematics, &frame.normal, &mut row);
//!     (contacts.gap(&kinematics, 0), row)
//! };
//! let (q, h) = ([0.6, 0.5], 1e-6);
//! let difference = (gap([q[0], q[1] + h]).0 - gap([q[0], q[1] - h]).0) / (2.0 * h);
//! assert!((gap(q).1[1] - difference).abs() < 1e-9 && difference.abs() > 0.01);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod broad_phase;
mod columns;
mod contacts;
mod edges;
mod error;
mod frame;
mod geometry;
mod joints;
mod listing;
mod material;
mod siblings;
mod sites;
mod surfaces;
mod touching;

pub(crate) use broad_phase::Group;
pub use contacts::Contacts;
pub use error::ContactError;
pub use frame::ContactFrame;
pub use geometry::planar_normal;
pub(crate) use geometry::{
    BESIDE, Block, CYLINDER_FACES, Circle, Crossing, Cylinder, CylinderParts, CylinderRim, DEEP,
    ExposedBox, Extent, FACES, FLAT, Ground, LONGEST_HALF, Meeting, Outline, OverlapSearch, Part,
    Place, RIM_POINTS, RimEdge, RimMeeting, Sector, SectorPoint, Solid, Touch, UPRIGHT, angle_of,
    ball_ball, ball_box, ball_plane, ball_smooth, circle_box, circle_smooth, face_of, grounds,
    inside_of_sector, is_beside, lowest_on_smooth, outline, overlap_at_most, planar_with,
    plane_below, reach_behind, sector_point, sectors, slope_at, slope_on_smooth, smooth_tangents,
    tangents, tangents_along, touch_beside, touch_fixed, touch_sector, value, wrapped,
};
pub use joints::{JointLimit, Latch, LatchDeclaration, LimitEnd};
pub use material::{Combination, Material};
pub use sites::{
    CollisionKind, Inactivity, MeshPoints, Site, SiteShape, collision_sites, mesh_points,
    sphere_sites,
};
#[doc(hidden)]
pub use sites::{fixed_collision_sites, hull, mesh_points_by};
pub(crate) use surfaces::SmoothGround;
pub use surfaces::{
    CarriedSurface, Drawn, Height, HeightField, OwnSurface, Proximity, Shaking, SmoothSurface,
    Surface, Terrain, collision_surfaces,
};
pub use touching::{BoxFace, HeldPlace, Side};
pub(crate) use touching::{EdgePresence, LastPlaced, Tilt};
