// Package readings takes readings of counters for a judgement of pauses: from answers of devices, from snapshots, and from a server
// ([Prometheus]).
package readings

import (
	"cmp"
	"errors"
	"path"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/devicefiles"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/snapshot"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate/storm"
)

// The reasons why a device has no counters, as parts of sentences.
const (
	byHand   = "a by_hand block describes it, so rocec does not read it"
	none     = "rocec knows no counters of pauses for it"
	noFile   = "the snapshot lacks its counters"
	noSeries = "Prometheus lacks its series"
)

// Without returns the part of a device that is not asked: its reading, or nil if it has queries.
func Without(d *ir.Device) *storm.Counters {
	switch {
	case d.ByHand != nil:
		return &storm.Counters{Failed: byHand}
	case len(targets.CounterQueries(d)) == 0:
		return &storm.Counters{Failed: none}
	}
	return nil
}

// CountersOf returns the counters of a device from its answers, which are in the order of the queries. A device with one answer was read.
func CountersOf(d *ir.Device, queries []target.CounterQuery, answers []session.Reply, when time.Time) *storm.Counters {
	out := &storm.Counters{When: when}
	answered := false
	for i, q := range queries {
		if failed := answers[i].Err; failed != "" {
			out.Unread = cmp.Or(out.Unread, deploy.OneLine(failed))
			continue
		}
		answered = true
		found, unread := q.Read(d, answers[i].Text)
		out.Ports = append(out.Ports, found...)
		out.Unread = cmp.Or(out.Unread, diag.Escape(unread))
		out.Every, out.Queues = max(out.Every, q.Every), max(out.Queues, q.Queue)
		if out.Uptime == 0 {
			out.Uptime = target.CounterTime(answers[i].Text)
		}
	}
	out.Ports = target.Joined(out.Ports)
	if !answered {
		return &storm.Counters{Failed: out.Unread}
	}
	return out
}

// Times returns the time of the last answer in each reading; nil: a reading has no time.
func Times(all []storm.Reading) (out []time.Time) {
	for _, r := range all {
		last := time.Time{}
		for _, c := range r {
			if c.When.After(last) {
				last = c.When
			}
		}
		if last.IsZero() {
			return nil
		}
		out = append(out, last.UTC())
	}
	return out
}

// Snapshots reads the counters in snapshots, whose order is that of their times.
func Snapshots(f *ir.Fabric, names []string) (out []storm.Reading, err error) {
	for i, name := range names {
		one, err := snapshotReading(f, name)
		if err != nil {
			return nil, err
		}
		if i > 0 && older(one, out[i-1]) {
			return nil, exit.Fail(exit.Usage, "--from %s is older than %s: give the oldest snapshot first", diag.Escape(name),
				diag.Escape(names[i-1]))
		}
		out = append(out, one)
	}
	return out, nil
}

// older reports whether some device of a reading was asked earlier than in another one, and no device later.
func older(a, b storm.Reading) bool {
	some := false
	for d, of := range a {
		was := b[d]
		if was == nil || of.When.IsZero() || was.When.IsZero() {
			continue
		}
		if of.When.After(was.When) {
			return false
		}
		some = some || of.When.Before(was.When)
	}
	return some
}

// snapshotReading reads the counters in a snapshot.
func snapshotReading(f *ir.Fabric, name string) (storm.Reading, error) {
	found, err := devicefiles.Read([]string{name})
	if err != nil {
		without := (*devicefiles.NoFile)(nil)
		if !errors.As(err, &without) {
			return nil, err
		}
		found = &devicefiles.Found{}
	}
	listed := map[string]*snapshot.Device{}
	for _, m := range found.Snapshots {
		for i := range m.Devices {
			listed[m.Devices[i].Name] = &m.Devices[i]
		}
	}
	if n := len(found.Snapshots); n > 1 {
		return nil, exit.Fail(exit.Usage, "--from %s contains %s, and one is a reading: name one of them", diag.Escape(name),
			diag.Count(n, "snapshot"))
	}
	if len(listed) == 0 {
		return nil, exit.Fail(exit.Usage, "--from %s is not a snapshot: it has no %s. rocec collect makes one", diag.Escape(name), snapshot.Name)
	}
	type place struct{ device, file string }
	data, wrong, configs := map[place][]byte{}, map[place]string{}, map[string][]lint.File{}
	for _, file := range found.Files {
		if file.Why == "" && !targets.AnyLinux(file.Name) && !targets.IsLLDP(file.Name) {
			device := path.Base(targets.DeviceOf(file.Name))
			configs[device] = append(configs[device], file)
		}
		at := place{path.Base(targets.DeviceOf(file.Name)), path.Base(file.Name)}
		if file.Why != "" {
			wrong[at] = strings.TrimSuffix(file.Why, ".")
		} else {
			data[at] = file.Data
		}
	}
	out := storm.Reading{}
	for _, d := range f.Devices {
		if without := Without(d); without != nil {
			out[d] = without
			continue
		}
		of := listed[d.Name]
		if of == nil || of.Failed != "" {
			why := noFile
			if of != nil {
				why = of.Failed
			}
			out[d] = &storm.Counters{Failed: reason(why)}
			continue
		}
		queries, answers := targets.CounterQueries(d), []session.Reply{}
		for _, q := range queries {
			at := place{d.Name, q.File}
			one := session.Reply{Text: data[at]}
			if _, had := data[at]; !had {
				one.Err = cmp.Or(wrong[at], failedAnswer(of, q.File), noFile)
			}
			answers = append(answers, one)
		}
		out[d] = CountersOf(d, queries, answers, of.When)
		out[d].From = of.Address
		out[d].Watchdogs = watchdogs(d, configs[d.Name])
	}
	return out, nil
}

// reason returns a reason of a snapshot, safe to print: a person can have edited the snapshot.
func reason(text string) string {
	const most = 200
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return diag.Escape(text)
}

// watchdogs returns the watchdogs of the ports of a switch by the files of its configuration; nil: no file states its settings.
func watchdogs(d *ir.Device, files []lint.File) map[string]ir.WatchdogSettings {
	if d.Switch == nil || len(files) == 0 {
		return nil
	}
	read, _ := targets.ReadDevice(d, files)
	if read == nil || read.Understood == nil {
		return nil
	}
	out := map[string]ir.WatchdogSettings{}
	for name, p := range read.Settings.Ports {
		out[name] = p.Detail.Get().Watchdog
	}
	return out
}

// failedAnswer returns why a device has no answer of a file; empty: its manifest has no reason.
func failedAnswer(d *snapshot.Device, file string) string {
	for _, a := range d.Answers {
		if path.Base(a.File) == file {
			return a.Failed
		}
	}
	return ""
}
