// Package deploy takes a rendered tree to the machines: observe, diff, order, apply, verify.
//
// In comes a [target.Tree] and a way to reach its devices; out go a [Plan] that says what would change, key by key,
// and, when the person agreed, a [Results] that says of every device what it holds now. The package knows order and
// caution, no vendor and no wire: what a file should hold, how it is put to use and how one sees that it worked all
// come with the tree.
//
// Promises:
//
//   - [Observe], and so plan and verify, has no means to write. It goes through a reader whose only script looks at
//     files and runs the queries the tree declares.
//   - [Diff] is pure, and compares meaning: a file that its own Edit would leave alone is the same.
//   - [Apply] writes by compare-and-swap. Under a lock, and only if the device still holds what the plan saw, the new
//     content goes beside the file, to the disk, and into place by rename; it is put to use, read back, and undone
//     when any of that fails. A file is old or new in full, never half.
//   - Every device ends in one of six outcomes, and "unknown" names what may be where.
//   - Nothing of a device's answer is trusted: sizes are bounded, text is escaped, a half-typed answer is none.
package deploy

import "time"

// Bounds and defaults.
const (
	maxFile        = 1 << 20          // bytes of a file that are read; a larger one is refused
	keepBackups    = 10               // backups that stay on a device
	observeAtOnce  = 32               // devices read at the same time
	applyAtOnce    = 8                // devices changed at the same time
	verbTime       = 2 * time.Minute  // one verb, beyond the time of the step it runs; an old sync(1) may take half of it
	observeTime    = time.Minute      // one device, read in full
	stepTime       = time.Minute      // a step that states no timeout
	reconnectTime  = 30 * time.Second // until a lost device must answer again
	reconnectEvery = 2 * time.Second
	settleEvery    = time.Second
)
