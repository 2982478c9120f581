// Package matrix tests the program rocec on real devices of package nspawn, with a fault at every command by which rocec changes a
// device. The fault hits the device or rocec. Three oracles judge each such cell:
//
//   - Each device has the complete old or the complete new content, and uses it. The oracle looks after the time in which a device undoes
//     a change by itself.
//   - The report of rocec on each device is true, and every device that rocec touched has a report.
//   - After `rocec resume` or `rocec resume --abandon`, the next apply succeeds and leaves no trace of a run. No step needs a shell on
//     the device.
//
// A part of the cells runs with every `go test`. With -whole all cells run, which takes hours. `-write FILE` writes the counts of the
// cells into the tables of FILE, such as docs/reliability.md.
package matrix
