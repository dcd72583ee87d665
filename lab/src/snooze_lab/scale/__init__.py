"""The study `scale`: JSON Lines to Arrow columns and back, and engines on top.

Separate because its contenders read and write files, on several threads or in several
processes, and are installed apart: two gigabytes of engines. `study` starts `worker`
in their environment. Imports the launcher, workloads, and for `goals` stored and race.
Called by runs, and by `make lab-scale` for the goals.
"""

#: The study's name, in studies/scale.toml.
NAME = "scale"
