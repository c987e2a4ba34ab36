//! What the keys in square brackets stand for, and what Carom takes from each work.
//!
//! Equation and section numbers in the documentation are those of the versions named here. Corrections to a work stand
//! on the page of the room that uses it.
//!
//! # Works with a key
//!
//! **\[SM\]** V. Seghete and T. D. Murphey, *A propagative model of simultaneous impact: existence, uniqueness, and
//! design consequences*, IEEE Transactions on Automation Science and Engineering 11 (2014); arXiv:1709.02296. Taken:
//! reflections in the kinetic metric, minimal sequences, Theorems 1 to 3, restitution between elastic and plastic,
//! indeterminacy ξ, continuing a step after an impact (eq. 30), design by orthogonal normals, the robot TREX. Rooms
//! `impact::propagative`, `impact::plastic`, `impact::verdict`, `hybrid`, `design`, `reproduce`.
//!
//! **\[JW\]** Y.-B. Jia and F. Wang, *Analysis and computation of two body impact in three dimensions*, ASME Journal of
//! Computational and Nonlinear Dynamics (2016). Taken: the hodograph of a frictional contact, invariant directions,
//! energetic restitution as a process in the normal impulse, the sequence of single impacts for several contacts (§7),
//! the Euler solvers of Table 1 for comparison. Room `impact::stronge`.
//!
//! **\[PER\]** T. Preclik, S. Eibl and U. Rüde, *The maximum dissipation principle in rigid-body dynamics with purely
//! inelastic impacts*, arXiv:1706.00221 (2017). Taken: the single-contact problem and its cases, block Gauss-Seidel
//! over contacts, Painlevé's rod, the granular channel; maximum dissipation as the friction rule of held contacts.
//! Rooms `impact::dissipation`, `friction`, `discrete`, `hybrid`, `comparison::granular`.
//!
//! **\[USD\]** T. K. Uchida, M. A. Sherman and S. L. Delp, *Making a meaningful impact: modelling simultaneous
//! frictional collisions in spatial multibody systems*, Proceedings of the Royal Society A 471 (2015) 20140859;
//! doi:10.1098/rspa.2014.0859. Taken: rounds of Poisson compression and expansion with sliding and rolling intervals,
//! restitution that depends on the approach speed, the notion of a capture speed, the compliant comparison. Rooms
//! `impact::plus`, `hybrid`, `comparison::compliant`.
//!
//! **\[HP\]** M. Halm and M. Posa, *Set-valued rigid-body dynamics for simultaneous, inelastic, frictional impacts*,
//! The International Journal of Robotics Research (2023); arXiv:2103.15714. Taken: Routh's method for several contacts
//! as a set of outcomes, its LCP and sampling (Algorithms 1 and 2), the simultaneous and the sequential inelastic
//! impact, the examples of §5.4, the compliant rocking block. Rooms `impact::routh`, `impact::lcp`,
//! `impact::sequential`, `impact::examples`, `comparison::compliant`.
//!
//! **\[JM\]** E. R. Johnson and T. D. Murphey, *Scalable variational integrators for constrained mechanical systems in
//! generalized coordinates*, IEEE Transactions on Robotics 25 (2009). Taken: the midpoint discrete Euler-Lagrange
//! equation on a tree in generalised coordinates. Room `discrete`.
//!
//! **\[LLPS\]** J. Lee, C. K. Liu, F. C. Park and S. S. Srinivasa, *A linear-time variational integrator for multibody
//! systems*, Workshop on the Algorithmic Foundations of Robotics (2016); arXiv:1609.02898. Taken: the residual in O(n)
//! and quasi-Newton steps by articulated bodies. Rooms `dynamics`, `discrete`.
//!
//! **\[MW\]** J. E. Marsden and M. West, *Discrete mechanics and variational integrators*, Acta Numerica 10 (2001)
//! 357–514; doi:10.1017/S096249290100006X. Taken: discrete Lagrangians, Legendre transforms, forces, symplecticity and
//! momentum maps. Room `discrete`.
//!
//! **\[F\]** R. Featherstone, *Rigid Body Dynamics Algorithms*, Springer (2008); doi:10.1007/978-1-4899-7560-7. Taken:
//! spatial vectors, recursive Newton-Euler, composite rigid bodies, articulated bodies. Rooms `spatial`, `dynamics`,
//! `discrete`.
//!
//! # Works named in the text
//!
//! * P. Alart and A. Curnier, *A mixed formulation for frictional contact problems prone to Newton like solution
//!   methods*, Computer Methods in Applied Mechanics and Engineering 92 (1991): the natural map of friction. Room
//!   `friction`.
//! * M. Anitescu and F. A. Potra, *Formulating dynamic multi-rigid-body contact problems with friction as solvable
//!   linear complementarity problems*, Nonlinear Dynamics 14 (1997) 231–247, doi:10.1023/A:1008292328909: the
//!   simultaneous inelastic impact. Room `impact::lcp`.
//! * S.-K. Au and J. L. Beck, *Estimation of small failure probabilities in high dimensions by subset simulation*,
//!   Probabilistic Engineering Mechanics 16 (2001): extents of a sampled set. Room `impact::routh`.
//! * C. G. Broyden, *A class of methods for solving nonlinear simultaneous equations*, Mathematics of Computation 19 (1965)
//!   577–593: rank-one updates of a matrix of derivatives. Room `study::orbit`.
//! * S. A. Burden, S. S. Sastry, D. E. Koditschek and S. Revzen, *Event-selected vector field discontinuities yield
//!   piecewise-differentiable flows*, SIAM Journal on Applied Dynamical Systems 15 (2016): derivatives through
//!   simultaneous events; not computed here. Named in `impact::verdict`.
//! * A. M. Pace and S. A. Burden, work of 2016 on inertially decoupled limbs and simultaneous contacts: when
//!   derivatives through simultaneous impacts exist; not computed here. Named in `impact::verdict`.
//! * J. Carpentier and N. Mansard, *Analytical derivatives of rigid body dynamics algorithms*, Robotics: Science and
//!   Systems (2018): compared with the derivatives at the midpoint. Room `discrete::midpoint`.
//! * P. Deuflhard, *Newton Methods for Nonlinear Problems*, Springer (2004): damping in the metric of corrections. Room
//!   `discrete`.
//! * J. R. Dormand and P. J. Prince, *A family of embedded Runge-Kutta formulae*, Journal of Computational and Applied
//!   Mathematics 6 (1980) 19–26. Room `comparison::compliant`.
//! * F. Gamboa, P. Gremaud, T. Klein and A. Lagnoux, *Global sensitivity analysis: a novel generation of mighty estimators
//!   based on rank statistics*, Bernoulli 28 (2022): indices from the draws as they are. Room `sweep`.
//! * P. Gordan (1873): the alternative behind the guarantee that reflections terminate. Room `impact::propagative`.
//! * E. Hairer and G. Wanner, *Solving Ordinary Differential Equations II*, Springer: Radau IIA. Room
//!   `comparison::compliant`. E. Hairer, C. Lubich and G. Wanner, *Geometric Numerical Integration*, Springer: backward
//!   error analysis. Room `discrete`.
//! * J. E. Humphreys, *Reflection Groups and Coxeter Groups*, Cambridge University Press (1990): chambers and Coxeter's
//!   classification, for the certificate. Room `impact::verdict`.
//! * K. H. Hunt and F. R. E. Crossley, *Coefficient of restitution interpreted as damping in vibroimpact*, Journal of Applied
//!   Mechanics 42 (1975) 440–445: a damper that grows with the penetration. Room `comparison::compliant`.
//! * T. Ishigami and T. Homma, *An importance quantification technique in uncertainty analysis for computer models*, First
//!   International Symposium on Uncertainty Modeling and Analysis (1990): the function that indices are tested on. Room
//!   `sweep`.
//! * F. James and M. Roos, *MINUIT*, Computer Physics Communications 10 (1975): bounds by substitution. Room `design`.
//! * S. Joe and F. Y. Kuo, *Constructing Sobol sequences with better two-dimensional projections*, SIAM Journal on
//!   Scientific Computing 30 (2008) 2635–2654: direction numbers. Room `sweep`.
//! * W. Kahan and R.-C. Li, *Composition constants for raising the orders of unconventional schemes for ordinary
//!   differential equations*, Mathematics of Computation 66 (1997): orders 6 and 8. Room `discrete`.
//! * A. Klarbring and J.-S. Pang, *Existence of solutions to discrete semicoercive frictional contact problems*, SIAM
//!   Journal on Optimization 8 (1998): solutions of the frictional problem exist. Room `friction`.
//! * C. L. Lawson and R. J. Hanson, *Solving Least Squares Problems*, Prentice-Hall (1974): non-negative least squares
//!   and least distance. Room `impact::plastic`.
//! * M. Luby and C. Rackoff, *How to construct pseudorandom permutations from pseudorandom functions*, SIAM Journal on
//!   Computing 17 (1988) 373–386: strata of a Latin hypercube without a table. Room `sweep`.
//! * G. Malandain and J.-D. Boissonnat, *Computing the diameter of a point set*, International Journal of Computational
//!   Geometry and Applications 12 (2002): the two most distant of many outcomes. Room `impact::propagative`.
//! * K. G. Murty, *Linear Complementarity, Linear and Nonlinear Programming*, Heldermann (1988): Lemke's method. Rooms
//!   `impact::lcp` and `friction`.
//! * C. D. Remy, *Ambiguous collision outcomes and sliding with infinite friction in models of legged systems*, The
//!   International Journal of Robotics Research 36 (2017) 1252–1267, doi:10.1177/0278364917731820: the biped RAMone.
//!   Room `impact::examples`.
//! * A. Saltelli, P. Annoni, I. Azzini, F. Campolongo, M. Ratto and S. Tarantola, *Variance based sensitivity analysis of
//!   model output. Design and estimator for the total sensitivity index*, Computer Physics Communications 181 (2010)
//!   259–270: the design and the estimators of Sobol indices. Room `sweep`.
//! * U. Saranli, M. Buehler and D. E. Koditschek, *RHex: a simple and highly mobile hexapod robot*, The International
//!   Journal of Robotics Research 20 (2001) 616–631: the Buehler clock. Room `control`.
//! * D. E. Stewart and J. C. Trinkle, *An implicit time-stepping scheme for rigid body dynamics with inelastic collisions
//!   and Coulomb friction*, International Journal for Numerical Methods in Engineering 39 (1996): polygons in place of
//!   discs of friction. Room `friction`.
//! * W. J. Stronge, *Rigid body collisions with friction*, Proceedings of the Royal Society A 431 (1990) 168–181:
//!   energetic restitution. Room `impact::stronge`.
//! * M. Suzuki, *Fractal decomposition of exponential operators with applications to many-body theories and Monte Carlo
//!   simulations*, Physics Letters A 146 (1990): order 4. Room `discrete`.
//! * H. F. Walker and P. Ni, *Anderson acceleration for fixed-point iterations*, SIAM Journal on Numerical Analysis 49
//!   (2011). Room `design`.
//! * M. J. Wichura, *Algorithm AS 241: the percentage points of the normal distribution*, Applied Statistics 37 (1988)
//!   477–484. Room `sweep`.
//! * M. Zambrano-Bigiarini, M. Clerc and R. Rojas, *Standard particle swarm optimisation 2011 at CEC-2013*, IEEE
//!   Congress on Evolutionary Computation (2013). Room `design`.
