package readings

import (
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
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

// SettingsQueries returns the queries for the settings of the switches among the devices that are asked for counters.
func SettingsQueries(counters map[*ir.Device][]target.CounterQuery) map[*ir.Device][]target.Query {
	out := map[*ir.Device][]target.Query{}
	for d := range counters {
		for _, q := range targets.SettingsAsks(d) {
			out[d] = append(out[d], target.Query{Cmd: "{\n" + q.Cmd + "\n} 2>/dev/null\ntrue"})
		}
	}
	return out
}

// LiveWatchdogs returns the watchdogs of the ports of a switch by its answers to [SettingsQueries]; nil: no answer states its settings.
func LiveWatchdogs(d *ir.Device, texts [][]byte) map[string]ir.WatchdogSettings {
	var files []lint.File
	for i, q := range targets.SettingsAsks(d) {
		if i < len(texts) && len(texts[i]) > 0 {
			files = append(files, lint.File{Name: d.Name + "/" + q.File, Data: texts[i]})
		}
	}
	return watchdogs(d, files)
}

// Live returns the counters of a device from the texts of its answers, which are in the order of the queries.
func Live(d *ir.Device, queries []target.CounterQuery, texts [][]byte, when time.Time) *storm.Counters {
	replies := make([]reply, 0, len(texts))
	for _, text := range texts {
		replies = append(replies, reply{text: text})
	}
	return countersOf(d, queries, replies, when)
}
