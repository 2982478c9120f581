// Package deploy decides each [Plan] of changes from a rendered tree and the states of devices. [Diff] makes the plan. A saved plan
// limits a later apply. [Results] contains the outcome of every device, and [Error] describes a failure. The package is pure.
//
// Lower packages carry the decisions out: package txn orders the steps of one device, package device talks to a device, and package
// rollout reads and changes many devices.
//
// The four packages promise:
//
//   - Reading cannot write. A read is a script that only reads files and runs the queries that the tree declares.
//   - [Diff] compares meaning: a file counts as the same if its Edit function would not change it.
//   - A change is written by compare-and-swap under a lock. The device itself undoes the change unless a new login confirms it. The
//     change is also undone if it made the device lose a link, a daemon or a neighbour. A file always has the complete old or the
//     complete new content.
//   - Every device ends in one outcome. The outcome "unknown" lists the possible contents of each file, the leftovers, and the command to
//     go on.
//   - An answer of a device is not trusted: sizes are bounded, text is escaped, a truncated answer is discarded.
package deploy
