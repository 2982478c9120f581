package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/cmd/internal/replay"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/txn"
)

// keysOf returns the keys of an adopted run, by device.
func keysOf(l *journal.Log) map[string]string {
	keys := map[string]string{}
	for _, d := range l.Devices {
		if d.Key != "" {
			keys[d.Name] = d.Key
		}
	}
	return keys
}

// SameFabric compares the fabric with an adopted run. It refuses to go on if they differ on any device.
func (r *OpenedRun) SameFabric() error {
	if r.plan == nil {
		return nil
	}
	l := r.Log
	dir, err := r.s.Journals()
	if err != nil {
		return err
	}
	marks := l.Marks()
	going := func(d journal.Device) bool { // the run is not over on these
		m := marks[d.Name]
		return m == txn.Prepared || m == txn.Armed || m == txn.Loaded
	}
	if !slices.ContainsFunc(r.Devices, going) {
		return nil
	}
	var others []journal.Left
	for i := range r.Devices {
		if !going(r.Devices[i]) {
			continue
		}
		if why := r.otherwise(dir, &r.Devices[i]); why != "" {
			others = append(others, journal.Left{Name: r.Devices[i].Name, Why: why})
		}
	}
	for _, d := range l.Adopted.Unasked {
		if d.Why == notInFabric {
			others = append(others, d)
		}
	}
	if len(others) == 0 {
		return nil
	}
	commit := ""
	if l.Commit != "" {
		commit = fmt.Sprintf(" (the run used commit %s)", l.Commit)
	}
	return exit.Fail(exit.Usage, "Run %s cannot be resumed here: the fabric in %s differs from that of the run%s: %s. "+
		"Nothing was changed. Go back: %s; keep the content of the devices: %s", l.Run, l.Fabric, commit, unaskedText(others),
		deploy.RunCommand("rollback", l.Run), deploy.RunCommand("confirm", l.Run))
}

// otherwise returns why the fabric wants other settings on a device than the run; empty: it wants the same. It compares hashes of the
// device's intent and of every content.
func (r *OpenedRun) otherwise(dir *journal.Dir, jd *journal.Device) string {
	i := slices.IndexFunc(r.plan.Devices, func(d *deploy.DevicePlan) bool { return d.Device.Name == jd.Name })
	switch {
	case i < 0:
		return notInFabric
	case r.Log.Undoes != "":
		return "the run goes back from run " + r.Log.Undoes + ", and a rollback is not compared with a fabric"
	case jd.Intent == "":
		return "it has no record of the intent of the run"
	case jd.Intent != r.plan.Devices[i].Device.Intent():
		return "this fabric wants other settings on it"
	}
	for _, jf := range jd.Changes {
		if jf.Base == jf.Target {
			continue
		}
		f := replay.FileOf(r.plan.Devices[i].Device, jf.Path)
		if f == nil {
			continue // the run removes the file, and the intent covers that
		}
		var before []byte
		if jf.Base != deploy.Absent {
			var err error
			if before, err = dir.Before(r.Log.Run, jf.Base); err != nil {
				return "its former content is unknown, so rocec cannot compute " + jf.Path
			}
		}
		if after, diags := f.Edit(before); diags.HasErrors() || deploy.Sum(after) != jf.Target {
			text := "this fabric has another content for " + jf.Path
			if jd.Tool != r.s.Rocec.Tool {
				text += ": " + strings.TrimSpace("rocec "+jd.Tool) + " began the run, and this is " + r.s.Rocec.Tool
			}
			return text
		}
	}
	return ""
}
