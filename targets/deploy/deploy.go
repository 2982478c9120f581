// Package deploy is what is decided on the way from a rendered tree to the machines: what would change ([Plan], [Diff]), what a saved
// plan allows, what became of every device ([Results]), and what stood in the way ([Error]). It is pure.
//
// What it decides is done below it: package txn says what comes next for one device, device speaks to it, and rollout reads
// and changes many.
//
// Promises of all four:
//
//   - Reading has no means to write. It goes through a script that looks at files and runs the queries the tree declares.
//   - [Diff] compares meaning: a file that its own Edit would leave alone is the same.
//   - A change is written by compare-and-swap under a lock, undone by the device itself unless it is confirmed over a new
//     login, and undone when a link, a daemon or a neighbour was lost by it. A file is old or new in full, never half.
//   - Every device ends in one outcome, and "unknown" says what each file may hold, what is left, and the command to go on.
//   - Nothing of a device's answer is trusted: sizes are bounded, text is escaped, a half-typed answer is none.
package deploy
