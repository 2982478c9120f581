package device

import (
	"context"
	_ "embed"
	"slices"
	"strings"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device/scripts"
)

// Record has the facts that a device keeps about a run: its author and reason, and the heads of the journals of those who acted on it.
type Record struct {
	Run   string
	About deploy.About // of the run, as far as it is about its author and its journal
	Acts  []deploy.Act // each verb once
}

// Records asks the device for its records of runs, the oldest first. A device keeps those of its last runs.
func Records(ctx context.Context, d *Device) ([]Record, *deploy.Error) {
	a, err := d.sections(ctx, scripts.Records(), 1, "records")
	if err != nil {
		return nil, err
	}
	return parseRecords(string(a[0].data)), nil
}

// parseRecords reads the lines of records.sh. It leaves out values that make no sense: the text comes from a device.
func parseRecords(text string) (out []Record) {
	at := map[string]int{}
	abouts := map[string]string{}
	for line := range strings.Lines(text) {
		run, rest, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		if !deploy.ValidRun(run) {
			continue
		}
		i, known := at[run]
		if !known {
			i, at[run] = len(out), len(out)
			out = append(out, Record{Run: run})
		}
		r := &out[i]
		value, acted := strings.CutPrefix(rest, "who ")
		if !acted {
			abouts[run] += rest + "\n"
			continue
		}
		if act := deploy.ParseAct(value); act.Who != "" && !slices.ContainsFunc(r.Acts, func(a deploy.Act) bool { return a.Verb == act.Verb }) {
			r.Acts = append(r.Acts, act)
		} else if n := len(r.Acts); n > 0 {
			r.Acts[n-1].ParseHead(value)
		}
	}
	for i := range out {
		out[i].About = deploy.ParseAbout(abouts[out[i].Run])
	}
	slices.SortFunc(out, func(a, b Record) int { return strings.Compare(a.Run, b.Run) })
	return out
}
