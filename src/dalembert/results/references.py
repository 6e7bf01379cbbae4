"""BibTeX entries of the methods, and which method asks for which."""

from __future__ import annotations

FORMULATIONS = {
    "recursive": ("ARN",),
    "semi-recursive": ("DOP",),
    "global": ("DOP", "SEG"),
    "interface": ("ELL",),
    "modular": ("SEG",),
}
"""Formulation -> keys."""

CONSTRAINED = {
    "semi-recursive": ("SEG",),
    "interface": ("DOP", "SEG"),
}
"""Formulation -> keys of what it does with constraints: augmented Lagrangian of index 3 with projections (ALI3-P), and on
accelerations."""
MASSLESS = ("ARN",)
"""Singular perturbation, where bodies are massless in any formulation."""
CONTACT = ("GLO",)
"""Inequalities by augmented Lagrangian, where there are contacts, limits or friction of joints."""

FLEXIBLE = {
    "recursive": ("HEL",),
    "semi-recursive": ("HEL",),
    "global": ("ELL",),
    "interface": ("ELL",),
}
"""Formulation -> keys of what it does with flexible bodies: floating frames of reference, absolute interface coordinates."""

INTEGRATORS = {
    "rk4": ("Kutta1901",),
    "dopri5": ("DormandPrince1980",),
    "tsit5": ("Tsitouras2011",),
    "explicit-euler": ("HairerLubichWanner2003",),
    "semi-implicit-euler": ("HairerLubichWanner2003",),
    "trapezoidal": ("Newmark1959",),
    "newmark": ("Newmark1959",),
    "linear-acceleration": ("Newmark1959",),
    "hht": ("HilberHughesTaylor1977",),
    "generalized-alpha": ("ChungHulbert1993", "ArnoldBruels2007"),
    "high-order": ("GLO",),
    "sdirk4": ("HairerWanner1996",),
    "radau": ("HairerWanner1996",),
    "bdf": ("BrenanCampbellPetzold1996",),
}
"""Integrator -> keys."""

TURNING = ("BruelsCardonaArnold2012",)
"""What implicit integrators need besides where a model has quaternions."""
IMPLICIT = ("sdirk4", "radau", "bdf", "trapezoidal", "newmark", "linear-acceleration", "high-order", "hht",
            "generalized-alpha")

ENTRIES = {
    "ARN": ("misc", {
        "author": "Arnold, Martin",
        "title": "Algorithmic aspects of singularly perturbed multibody system models",
        "note": "Institute of Mathematics, Martin Luther University Halle-Wittenberg"}),
    "DOP": ("misc", {
        "author": r"Dopico Dopico, Daniel and L{\'o}pez Varela, {\'A}lvaro and Luaces Fern{\'a}ndez, Alberto",
        "title": "Two general index-3 semi-recursive formulations for the dynamics of multibody systems",
        "note": r"Extended abstract, Laboratorio de Ingenier{\'i}a Mec{\'a}nica, Universidade da Coru{\~n}a"}),
    "SEG": ("inproceedings", {
        "author": "Seguy, Nicolas and Joli, Pierre and Feng, Zhi-Qiang and Pascal, Madeleine",
        "title": "A modular dynamic model for multibody system adapted to interactive simulation",
        "booktitle": "ASME Design Engineering Technical Conferences and Computers and Information in Engineering "
                     "Conference",
        "year": "2003", "pages": "71--79"}),
    "GLO": ("misc", {
        "author": "Glowinski, Roland and Nasser, Mahmoud G.",
        "title": "Numerical methods for multibody systems",
        "note": r"University of Houston; Lockheed Engineering \& Sciences Company"}),
    "HEL": ("misc", {
        "author": "Held, Alexander and Seifried, Robert",
        "title": "Topology optimization in flexible multibody dynamics",
        "note": "Institute of Engineering and Computational Mechanics, University of Stuttgart"}),
    "ELL": ("article", {
        "author": "Ellenbroek, Marcel and Schilder, Jurnan",
        "title": "On the use of absolute interface coordinates in the floating frame of reference formulation for flexible "
                 "multibody dynamics",
        "journal": "Multibody System Dynamics", "year": "2017"}),
    "Kutta1901": ("article", {
        "author": "Kutta, Wilhelm",
        "title": r"Beitrag zur n{\"a}herungsweisen Integration totaler Differentialgleichungen",
        "journal": r"Zeitschrift f{\"u}r Mathematik und Physik", "volume": "46", "pages": "435--453",
        "year": "1901"}),
    "DormandPrince1980": ("article", {
        "author": "Dormand, J. R. and Prince, P. J.",
        "title": "A family of embedded {Runge-Kutta} formulae",
        "journal": "Journal of Computational and Applied Mathematics", "volume": "6", "number": "1",
        "pages": "19--26", "year": "1980", "doi": "10.1016/0771-050X(80)90013-3"}),
    "Tsitouras2011": ("article", {
        "author": "Tsitouras, Ch.",
        "title": "{Runge-Kutta} pairs of order 5(4) satisfying only the first column simplifying assumption",
        "journal": "Computers and Mathematics with Applications", "volume": "62", "number": "2",
        "pages": "770--775", "year": "2011", "doi": "10.1016/j.camwa.2011.06.002"}),
    "HairerWanner1996": ("book", {
        "author": "Hairer, Ernst and Wanner, Gerhard",
        "title": "Solving Ordinary Differential Equations {II}: Stiff and Differential-Algebraic Problems",
        "publisher": "Springer", "edition": "2", "year": "1996"}),
    "HairerLubichWanner2003": ("article", {
        "author": "Hairer, Ernst and Lubich, Christian and Wanner, Gerhard",
        "title": r"Geometric numerical integration illustrated by the {St{\"o}rmer--Verlet} method",
        "journal": "Acta Numerica", "volume": "12", "pages": "399--450", "year": "2003",
        "doi": "10.1017/S0962492902000144"}),
    "Newmark1959": ("article", {
        "author": "Newmark, Nathan M.",
        "title": "A method of computation for structural dynamics",
        "journal": "Journal of the Engineering Mechanics Division, ASCE", "volume": "85", "number": "3",
        "pages": "67--94", "year": "1959"}),
    "HilberHughesTaylor1977": ("article", {
        "author": "Hilber, Hans M. and Hughes, Thomas J. R. and Taylor, Robert L.",
        "title": "Improved numerical dissipation for time integration algorithms in structural dynamics",
        "journal": "Earthquake Engineering and Structural Dynamics", "volume": "5", "number": "3",
        "pages": "283--292", "year": "1977", "doi": "10.1002/eqe.4290050306"}),
    "ChungHulbert1993": ("article", {
        "author": "Chung, Jintai and Hulbert, Gregory M.",
        "title": "A time integration algorithm for structural dynamics with improved numerical dissipation: the "
                 r"generalized-$\alpha$ method",
        "journal": "Journal of Applied Mechanics", "volume": "60", "number": "2", "pages": "371--375",
        "year": "1993", "doi": "10.1115/1.2900803"}),
    "ArnoldBruels2007": ("article", {
        "author": r"Arnold, Martin and Br{\"u}ls, Olivier",
        "title": r"Convergence of the generalized-$\alpha$ scheme for constrained mechanical systems",
        "journal": "Multibody System Dynamics", "volume": "18", "number": "2", "pages": "185--202",
        "year": "2007", "doi": "10.1007/s11044-007-9084-0"}),
    "BruelsCardonaArnold2012": ("article", {
        "author": r"Br{\"u}ls, Olivier and Cardona, Alberto and Arnold, Martin",
        "title": r"Lie group generalized-$\alpha$ time integration of constrained flexible multibody systems",
        "journal": "Mechanism and Machine Theory", "volume": "48", "pages": "121--137", "year": "2012",
        "doi": "10.1016/j.mechmachtheory.2011.07.017"}),
    "BrenanCampbellPetzold1996": ("book", {
        "author": "Brenan, Kathryn E. and Campbell, Stephen L. and Petzold, Linda R.",
        "title": "Numerical Solution of Initial-Value Problems in Differential-Algebraic Equations",
        "publisher": "SIAM", "year": "1996", "doi": "10.1137/1.9781611971224"}),
}
"""Key -> (kind of entry, fields)."""
