package readings

import (
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate/storm"
)

// LeastWindow is the default window, for devices whose counters are those of the moment.
const LeastWindow = 2 * time.Second

// Window returns the time between readings of devices: the one that a person wants, or the shortest one that shows everything on every
// device. A shorter one may leave out the progress of queues.
func Window(f *ir.Fabric, queries map[*ir.Device][]target.CounterQuery, wanted time.Duration) (time.Duration, error) {
	least, all, slowest := LeastWindow, LeastWindow, ""
	for _, d := range f.Devices {
		for _, q := range queries[d] {
			all = max(all, storm.LeastWindow(q.Every), storm.LeastWindow(q.Queue))
			if need := storm.LeastWindow(q.Every); need > least {
				least, slowest = need, d.Name
			}
		}
	}
	switch {
	case wanted == 0:
		return all, nil
	case slowest != "" && wanted < least:
		return 0, exit.Fail(exit.Usage, "--window %s is too short: %s renews its counters more slowly, and needs %s", wanted, slowest, least)
	}
	return wanted, nil
}

// SettingsQueries returns the queries for the settings of a switch.
func SettingsQueries(d *ir.Device) (out []target.Query) {
	for _, q := range targets.SettingsAsks(d) {
		out = append(out, target.Query{Cmd: "{\n" + q.Cmd + "\n} 2>/dev/null\ntrue"})
	}
	return out
}

// LiveWatchdogs returns the watchdogs of the ports of a switch by its answers to [SettingsQueries]; nil: no answer states its settings.
func LiveWatchdogs(d *ir.Device, answers []session.Reply) map[string]ir.WatchdogSettings {
	var files []lint.File
	for i, q := range targets.SettingsAsks(d) {
		if i < len(answers) && len(answers[i].Text) > 0 {
			files = append(files, lint.File{Name: d.Name + "/" + q.File, Data: answers[i].Text})
		}
	}
	return watchdogs(d, files)
}
