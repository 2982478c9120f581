package devicefiles

import (
	"path"
	"strings"
	"time"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate/claims"
	"github.com/rocec/rocec/validate/configured"
	"github.com/rocec/rocec/validate/watchdogs"
)

// ReadForwarding reads the forwarding of a device from its files. when returns the time of a file.
type ReadForwarding func(d *ir.Device, files []lint.File, when func(name string) time.Time) *ir.Forwarding

// ReadSettings returns the settings of a device in its files, and why they do not count; nil: its files state no setting.
type ReadSettings func(d *ir.Device) (is *ir.Settings, why string)

// ReadCounters reads the counters of a device from its files; nil: no file has counters.
type ReadCounters func(d *ir.Device, files []lint.File) []ir.PauseCounters

// Readers are the readers of [Found.Seen].
type Readers struct {
	Forwarding ReadForwarding
	Settings   ReadSettings
	Counters   ReadCounters
}

// Seen reads the forwarding, the settings and the counters of the devices of a fabric from the files. of returns the files of a device.
func (read *Found) Seen(f *ir.Fabric, of func(device string) []lint.File, with Readers) *claims.Seen {
	out := &claims.Seen{By: "files"}
	if len(read.Snapshots) > 0 {
		out.By = "snapshot"
	}
	when, first := read.times(), map[*ir.Device]diag.Range{}
	for _, d := range f.Devices {
		files := of(d.Name)
		if len(files) > 0 {
			out.Devices, first[d] = append(out.Devices, with.Forwarding(d, files, when)), files[0].Top()
			if rows := with.Counters(d, files); len(rows) > 0 {
				out.Counters = append(out.Counters, &watchdogs.Counters{Of: d, Rows: rows, When: oldest(files, when)})
			}
		}
		if is, why := with.Settings(d); is != nil {
			out.Settings = append(out.Settings, &configured.Setup{Of: d, Settings: is, Why: why, When: oldest(files, when)})
		}
	}
	out.At = func(d *ir.Device) diag.Range {
		if at, is := first[d]; is {
			return at
		}
		return d.At
	}
	return out
}

// oldest returns the time of the oldest of some files; zero: one of them is not known, or there is no file.
func oldest(files []lint.File, when func(name string) time.Time) (at time.Time) {
	for i, file := range files {
		switch one := when(file.Name); {
		case one.IsZero():
			return one
		case i == 0 || one.Before(at):
			at = one
		}
	}
	return at
}

// Of returns a function that returns the files of a device of a fabric: those in a folder of its name, or with its name.
func (read *Found) Of(f *ir.Fabric) func(device string) []lint.File {
	by, names := map[string][]lint.File{}, map[string]bool{}
	for _, d := range f.Devices {
		names[d.Name] = true
	}
	for _, file := range read.Files {
		folder, base := path.Base(path.Dir(file.Name)), path.Base(file.Name)
		if names[folder] {
			by[folder] = append(by[folder], file)
			continue
		}
		for i := len(base); i > 0; i-- { // the longest name at the beginning of the file name
			if i < len(base) && names[base[:i]] && strings.ContainsRune("-._", rune(base[i])) {
				by[base[:i]] = append(by[base[:i]], file)
				break
			}
		}
	}
	return func(device string) []lint.File { return by[device] }
}

// times returns a function that returns when a device gave a file, by the snapshots; zero: not known.
func (read *Found) times() func(name string) time.Time {
	by := map[string]time.Time{} // by path below a snapshot
	for _, m := range read.Snapshots {
		for i := range m.Devices {
			for _, a := range m.Devices[i].Answers {
				at, twice := by[a.File]
				if by[a.File] = m.Devices[i].When; twice && !at.Equal(m.Devices[i].When) {
					by[a.File] = time.Time{} // of two snapshots
				}
			}
		}
	}
	return func(name string) time.Time {
		for rest, more := name, true; more; _, rest, more = strings.Cut(rest, "/") {
			if at, is := by[rest]; is {
				return at
			}
		}
		return time.Time{}
	}
}
