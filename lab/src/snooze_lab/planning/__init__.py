"""What a run will measure, in which order, and with which data.

`plan` reads the studies, `byob` makes one of a user's file, `prepare` fetches the data,
`schedule` verifies contenders and shuffles the steps. Imports contenders, data,
workloads and the worker's guard, and nothing that times. Called by the command
line, by runs, and by whatever reads studies (native, published).
"""
