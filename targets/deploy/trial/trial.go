// Package trial judges what a device shows before, during and after a change that is made only to be undone ([Trial]). The input is the
// text that was read at each moment, the output a verdict. It is pure, so that a saved text is judged as a live one. It also has the
// fabrics of a control ([Controls]), which differ from a fabric in one known value.
package trial

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/traffic"
	"github.com/rocec/rocec/targets/target"
)

// Trial is a statement about a device that is shown by a change, and by readings at several moments.
type Trial struct {
	ID, Says string

	// Judge derives the verdict from the readings, by moment. why is the reason in a full sentence; empty: the statement holds.
	Judge func(read map[string]string) (v target.Verdict, why string)
}

// Reading is the text that a device showed at a moment of a trial.
type Reading struct{ Moment, Text string }

// The names of changes, and of the kinds of readings.
const (
	Control = "control" // one value that differs from the fabric's
	Fabric  = "fabric"  // the settings of the fabric
	Stored  = "stored"  // files
	Running = "running" // states of drivers and daemons
	Loaded  = "loaded"  // the device's answer whether it uses the content
)

// MarksID is the name of the proof of marking.
const MarksID = "traffic-marks"

// ID returns the name of the trial of a change with a kind of reading.
func ID(change, kind string) string { return "write-" + change + "-" + kind }

// The moments of a change, in their order.
const (
	OfFabric = "of the fabric" // not read: the settings of the fabric
	Before   = "before"
	Sent     = "sent" // not read: the settings that are written
	After    = "after"
	Later    = "seconds later"
	Undone   = "after the undo"
	LaterOn  = "seconds after the undo"
	Outcome  = "outcome"
	Undoing  = "outcome of the undo"
)

// All returns the table of trials.
func All() []Trial {
	var out []Trial
	for _, change := range []struct{ name, says string }{
		{Control, "one known value that differs from the fabric"},
		{Fabric, "the settings of the fabric"},
	} {
		for _, kind := range []struct{ name, says string }{
			{Stored, "The files of the device"},
			{Running, "The states of drivers and daemons"},
		} {
			out = append(out, Trial{
				ID(change.name, kind.name),
				kind.says + " have " + change.says + " after the write, and their former content after the undo.",
				func(read map[string]string) (target.Verdict, string) { return judgeWrite(read, change.name == Control) },
			})
		}
		out = append(out, Trial{
			ID(change.name, Loaded),
			"The device reports that it uses " + change.says + " as it was written, and restores the former content.", judgeLoaded,
		})
	}
	return append(
		out,
		Trial{
			MarksID, "The switch marks while the threshold of a queue is low, and neither before nor after. Both hosts answer the marks.",
			judgeMarks,
		},
		Trial{
			PausesID, "The switch pauses two senders of a lossless class whose packets leave by one port, and drops none. It sends no pause " +
				"for a lossy class.", judgePauses,
		},
	)
}

// Find returns the trial with a name.
func Find(id string) (Trial, bool) {
	i := slices.IndexFunc(All(), func(t Trial) bool { return t.ID == id })
	if i < 0 {
		return Trial{}, false
	}
	return All()[i], true
}

// sum begins the line with the hash of a whole content.
const sum = "sha256 "

// judgeWrite judges what a device shows before, after and some seconds after a write, and after its undo. Every sent line must be there,
// and no other setting may change. A write that changes no line shows nothing. A control must also differ from the fabric, so that a
// reader that does not look at the device is noticed.
func judgeWrite(read map[string]string, control bool) (target.Verdict, string) {
	moments := []string{Before, Sent, After, Later, Undone, LaterOn}
	if control {
		moments = append(moments, OfFabric)
	}
	for _, m := range moments {
		if strings.TrimSpace(read[m]) == "" {
			return target.NotDecided, fmt.Sprintf("There is no reading %q.", m)
		}
	}
	before, sent, after := settings(read[Before]), settings(read[Sent]), settings(read[After])
	if _, differs := unlike(sent, before); !differs {
		return target.NotDecided, "The device had these settings before, so that no reading can show the write."
	}
	if _, differs := unlike(sent, settings(read[OfFabric])); control && !differs {
		return target.NotDecided, "The control writes what the fabric has, so that no reading can tell them apart."
	}
	if key, differs := unlike(sent, after); differs {
		return target.DoesNotHold, fmt.Sprintf("%s is %s after the write, and %s was sent.", key, value(after, key), value(sent, key))
	}
	for _, key := range slices.Sorted(maps.Keys(before)) {
		now, there := after[key]
		if _, ours := sent[key]; !ours && there && now != before[key] {
			return target.DoesNotHold, fmt.Sprintf("%s was not sent, and changed from %s to %s.", key, before[key], now)
		}
	}
	left := ""
	for _, m := range []struct{ was, is string }{{After, Later}, {Before, Undone}, {Undone, LaterOn}} {
		if read[m.was] == read[m.is] {
			continue
		}
		was, is := settings(read[m.was]), settings(read[m.is])
		keys := differing(was, is)
		if len(keys) == 0 {
			return target.DoesNotHold, fmt.Sprintf("The bytes %s are not those %s.", m.is, m.was)
		}
		for _, key := range keys {
			why := fmt.Sprintf("%s is %s %s, and %s %s.", key, value(is, key), m.is, value(was, key), m.was)
			name := key[strings.LastIndexByte(key, ' ')+1:]
			if stays(name) == "" || m.is != Undone {
				return target.DoesNotHold, why
			}
			left = why + " " + stays(name)
		}
	}
	if left != "" {
		return target.NotDecided, left
	}
	return target.Holds, ""
}

// stays returns why no undo restores a setting of a NIC; empty: an undo restores it.
func stays(name string) string {
	if name == "dcbx" {
		return "Only mlnx_qos can give DCBX back to the firmware."
	}
	return ""
}

// differing returns the keys with another value, sorted.
func differing(a, b map[string]string) (keys []string) {
	for key, v := range a {
		if other, there := b[key]; !there || other != v {
			keys = append(keys, key)
		}
	}
	for key := range b {
		if _, there := a[key]; !there {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// unlike returns the first key whose value in other is not the one in want.
func unlike(want, other map[string]string) (key string, differs bool) {
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if v, there := other[key]; !there || v != want[key] {
			return key, true
		}
	}
	return "", false
}

func value(of map[string]string, key string) string {
	if v, there := of[key]; there {
		return v
	}
	return "absent"
}

// settings returns the lines "KEY = VALUE" of a reading, by key. A key that occurs twice has both values.
func settings(text string) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), " = "); ok && !strings.HasPrefix(line, sum) {
			if had, twice := out[key]; twice {
				value = had + ", " + value
			}
			out[key] = value
		}
	}
	return out
}

// The keys of the outcome of a change.
const (
	outcomeKey  = "outcome"
	inUseKey    = "in use"
	adjustedKey = "adjusted"
	becauseKey  = "because"
	noteKey     = "note"
)

// ResultText returns the outcome of a change as a reading.
func ResultText(r *deploy.Result) string {
	var out strings.Builder
	line := func(key, value string) {
		if value != "" {
			fmt.Fprintf(&out, "%s = %s\n", key, target.Escape(strings.Join(strings.Fields(value), " ")))
		}
	}
	line(outcomeKey, string(r.Outcome))
	line(inUseKey, r.InUse)
	for _, f := range r.Files {
		line(adjustedKey, f.Adjusted)
	}
	switch {
	case r.Err != nil:
		line(becauseKey, string(r.Err.Kind)+": "+r.Err.Detail)
	case r.Unread != "":
		line(becauseKey, r.Unread)
	}
	for _, n := range r.Notes {
		line(noteKey, n)
	}
	if r.Undo != nil {
		line(becauseKey, string(r.Undo.Kind)+": "+r.Undo.Detail)
	}
	return out.String()
}

// Vary removes the lines that all readings have equally often, since they show nothing.
func Vary(read []Reading) []Reading {
	counts := make([]map[string]int, len(read))
	for i, r := range read {
		counts[i] = map[string]int{}
		for line := range strings.Lines(r.Text) {
			counts[i][line]++
		}
	}
	varies := func(line string) bool {
		return slices.ContainsFunc(counts, func(of map[string]int) bool { return of[line] != counts[0][line] })
	}
	out := make([]Reading, len(read))
	for i, r := range read {
		out[i].Moment = r.Moment
		for line := range strings.Lines(r.Text) {
			if varies(line) {
				out[i].Text += line
			}
		}
		if out[i].Text == "" && r.Text != "" {
			out[i].Text = "no line that varies\n"
		}
	}
	return out
}

// judgeLoaded judges the device's answers about the content in use, and the outcome of the undo.
func judgeLoaded(read map[string]string) (target.Verdict, string) {
	did, undid := settings(read[Outcome]), settings(read[Undoing])
	said := func(of map[string]string) string {
		text := of[outcomeKey]
		if of[becauseKey] != "" {
			text += " (" + of[becauseKey] + ")"
		}
		return text
	}
	switch deploy.Outcome(did[outcomeKey]) {
	case deploy.Unconfirmed:
	case deploy.Restored, deploy.Reverted, deploy.Conflict, deploy.Unknown:
		return target.DoesNotHold, "The outcome of the write is " + said(did) + "."
	case "":
		return target.NotDecided, "The outcome of the write is not known."
	default:
		return target.NotDecided, "The outcome of the write is " + said(did) + "."
	}
	switch back := deploy.Outcome(undid[outcomeKey]); {
	case back == "":
		return target.NotDecided, "The outcome of the undo is not known."
	case back != deploy.Restored && back != deploy.Reverted:
		return target.DoesNotHold, "The outcome of the undo is " + said(undid) + "."
	case did[adjustedKey] != "":
		return target.DoesNotHold, "The device uses another value than the written one: " + did[adjustedKey] + "."
	case did[inUseKey] == deploy.UseNo:
		return target.DoesNotHold, "The device reports that it does not use the content."
	case did[inUseKey] != deploy.UseYes:
		return target.NotDecided, "The device does not show whether it uses the content."
	}
	return target.Holds, ""
}

// The ends and the stages of an exchange, in the names of their moments.
const (
	fromHost = "sender"
	toHost   = "receiver"
	high     = "former threshold"
	low      = "low threshold"
	back     = "former threshold again"
)

func momentOf(stage, end, when string) string { return stage + ", " + end + " " + when }

// MarkReadings returns the readings of a proof of marking.
func MarkReadings(s traffic.Stages) []Reading {
	out := []Reading{}
	for _, stage := range []struct {
		name string
		of   *traffic.Stage
	}{{high, s.High}, {low, s.Low}, {back, s.Back}} {
		if stage.of == nil {
			continue
		}
		at := func(end, when string, text []byte) {
			out = append(out, Reading{momentOf(stage.name, end, when), string(text)})
		}
		at(fromHost, Before, stage.of.FromBefore)
		at(fromHost, After, stage.of.FromAfter)
		at(toHost, Before, stage.of.ToBefore)
		at(toHost, After, stage.of.ToAfter)
	}
	return out
}

// judgeMarks judges the counters of a proof of marking.
func judgeMarks(read map[string]string) (target.Verdict, string) {
	stage := func(name string) *traffic.Stage {
		at := func(end, when string) []byte { return []byte(read[momentOf(name, end, when)]) }
		if _, sent := read[momentOf(name, toHost, After)]; !sent {
			return nil
		}
		return &traffic.Stage{
			FromBefore: at(fromHost, Before), FromAfter: at(fromHost, After), ToBefore: at(toHost, Before), ToAfter: at(toHost, After),
		}
	}
	r := traffic.JudgeMarks(traffic.Stages{High: stage(high), Low: stage(low), Back: stage(back)},
		traffic.Proved{From: "the sender", To: "the receiver", Queue: "the queue"})
	if r.Good() {
		return r.Verdict, ""
	}
	return r.Verdict, r.Says
}
