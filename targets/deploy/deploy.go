// Package deploy decides each [Plan] of changes from a rendered tree and the states of devices. [Diff] makes the plan. A saved plan
// limits a later apply. [Results] has the outcome of every device, and [Error] a failure. The package is pure.
//
// Lower packages carry the decisions out: package txn orders the steps of one device, device speaks to the device, and rollout reads
// and changes many devices.
//
// Promises of all four:
//
//   - Reading has no means to write. It goes through a script that looks at files and runs the queries the tree declares.
//   - [Diff] compares meaning: a file that its own Edit would leave alone is the same.
//   - A change is written by compare-and-swap under a lock, undone by the device itself unless it is confirmed over a new
//     login, and undone when a link, a daemon or a neighbour was lost by it. A file is old or new in full, never half.
//   - Every device ends in one outcome. "unknown" lists what each file may hold, what is left, and the command to go on.
//   - An answer of a device is not trusted: sizes are bounded, text is escaped, a truncated answer is discarded.
package deploy
