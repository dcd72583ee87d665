"""The study `scale`: JSON Lines to Arrow columns and back, and engines on top.

Separate because its contenders read and write files, on several threads or in several
processes, and are installed apart: two gigabytes of engines. `lines` writes the files,
`readers` and `engines` call the libraries, `worker` measures one of them in a process
of its own, `study` lays out and runs the study, `drift` asks what readers do with data
that changes, `goals` compares the figures of a run with what was wanted, and `plan`
simulates 100 TB.
"""

#: The study's name, in studies/scale.toml.
NAME = "scale"
