"""The open chain of figure 1 of [DOP]; import as ``from seeds.six_body_chain import six_body_chain``."""

import dalembert as dal

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)


def six_body_chain(place=(0.0, 0.0, 0.0), spring=True):
    """Six bodies in an open chain, as in figure 1 of [DOP]: one after the other, by joints of six kinds.

    It needs no data: the article shows the mechanism without numbers.  `place` [m] is where it hangs.
    """
    x, y, z = place
    m = dal.Model("six-body chain", gravity=(0, 0, -9.81), ground={"hook": place, "wall": (x + 1.0, y, z)})
    for k in range(1, 7):
        mass = 2.0 - 0.2 * k
        m.add(dal.Body(f"link {k}", mass=mass, com=(0.02, 0.01, -0.2), inertia=(0.02 * mass, 0.015 * mass, 0.01 * mass),
                       points={"end": (0.0, 0.0, -0.4)}))
    m.add(dal.Revolute("1", "ground.hook", "link 1", axis=Y, start=0.8),
          dal.Universal("2", "link 1.end", "link 2", start=(0.3, -0.2), start_rate=(1.0, 0.0)),
          dal.Spherical("3", "link 2.end", "link 3", start_rate=(0.0, 1.0, 2.0)),
          dal.Prismatic("4", "link 3.end", "link 4", axis=Z),
          dal.Cylindrical("5", "link 4.end", "link 5", axis=(1, 0, 1), start_rate=(2.0, 0.0)),
          dal.Revolute("6", "link 5.end", "link 6", axis=X, start=-0.6))
    m.add(dal.JointSpring("coil", "4", stiffness=400.0, damping=2.0),
          dal.JointSpring("slide", "5", coordinate="displacement", stiffness=300.0, damping=2.0))
    if spring:
        m.add(dal.SpringDamper("rope", "ground.wall", "link 3.end", stiffness=60.0, damping=1.0, length=0.6))
    return m
