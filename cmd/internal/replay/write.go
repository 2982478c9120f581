// Package replay writes plans into the journal (by a [Writer]) and reads them back, so that a run can be resumed or undone without its
// fabric. The fabric may have changed since, or no longer compile. The journal contains no commands: steps are made again from their
// names, and contents are found by their hashes.
package replay

import (
	"fmt"
	"strings"

	"github.com/rocec/rocec/cmd/internal/journal"
	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// Writer numbers the steps, queries and checkers that devices share.
type Writer struct {
	h                      *journal.Header
	steps, queries, checks map[journal.Made]int
}

// Write adds the changes of a plan to a header. In the plan it sets the digest that each device gets.
func Write(h *journal.Header, plan *deploy.Plan, order *deploy.Order) {
	wave := map[*deploy.DevicePlan]int{}
	if order != nil {
		for i, w := range order.Waves {
			for _, d := range w.Devices {
				wave[d] = i + 1
			}
		}
	}
	w := NewWriter(h)
	for _, d := range plan.Devices {
		if d.Status != deploy.StatusChange {
			continue
		}
		jd := journalDevice(d)
		jd.Wave = wave[d]
		for _, c := range d.Changes {
			jd.Changes = append(jd.Changes, w.file(c.File, c.FileState))
		}
		text := map[string][]byte{}
		for _, s := range d.States {
			text[s.Path] = s.Text
		}
		for i := range d.Device.Files {
			f := &d.Device.Files[i]
			if f.Live != nil && f.Activate.Undo != nil {
				jd.States = append(jd.States, w.file(f, deploy.FileState{Path: f.Path, Base: deploy.Sum(text[f.Path])}))
			}
		}
		d.Digest = runDigest(h, &jd)
		jd.Disrupts = d.Disrupts
		for _, e := range d.Effects {
			jd.Effects = append(jd.Effects, e.String())
		}
		h.Devices = append(h.Devices, jd)
	}
}

// NewWriter returns a writer that continues the steps, queries and checkers of a header.
func NewWriter(h *journal.Header) *Writer {
	w := &Writer{h: h}
	for _, list := range []struct {
		of []journal.Made
		at *map[journal.Made]int
	}{{h.Steps, &w.steps}, {h.Queries, &w.queries}, {h.Checks, &w.checks}} {
		*list.at = map[journal.Made]int{}
		for n, made := range list.of {
			(*list.at)[made] = n
		}
	}
	return w
}

// number returns the number of a step, query or checker in a list of the header. A new one is added to the list.
func number(list *[]journal.Made, at map[journal.Made]int, made journal.Made) int {
	n, ok := at[made]
	if !ok {
		n = len(*list)
		at[made] = n
		*list = append(*list, made)
	}
	return n
}

// journalDevice returns a device of a plan for the journal, without its changes.
func journalDevice(d *deploy.DevicePlan) journal.Device {
	return journal.Device{
		Name: d.Device.Name, Role: string(d.Device.Role), About: d.Device.About,
		At: journal.Place{File: d.Device.At.Filename, Line: d.Device.At.Start.Line}, Login: journal.Login(d.Device.Login),
	}
}

func (w *Writer) file(f *target.File, s deploy.FileState) journal.File {
	jf := journal.File{Path: f.Path, Mode: uint32(f.Mode.Perm()), Base: s.Base, Target: s.Target}
	jf.Step = number(&w.h.Steps, w.steps, journal.Made{Name: f.Activate.Name, Digest: madeDigest(&target.Made{Step: &f.Activate})})
	if f.Live != nil {
		n := number(&w.h.Queries, w.queries, journal.Made{Name: f.Live.Name, Digest: madeDigest(&target.Made{Query: f.Live})})
		jf.Query = &n
	}
	if f.Precheck != "" {
		n := number(&w.h.Checks, w.checks, journal.Made{Name: f.PrecheckName, Digest: madeDigest(&target.Made{Check: f.Precheck})})
		jf.Check = &n
	}
	return jf
}

// madeDigest returns the SHA-256 of all commands of a step, a query or a checker.
func madeDigest(m *target.Made) string {
	var b strings.Builder
	query := func(q *target.Query) {
		if q != nil {
			fmt.Fprintf(&b, "%q %q", q.Cmd, q.Stdin)
		}
		b.WriteByte('\n')
	}
	switch s := m.Step; {
	case s != nil:
		fmt.Fprintf(&b, "step %q %q %q %q\n", s.Cmd, s.Stdin, s.Keep, s.Units)
		query(s.Undo)
		query(s.Loaded)
		query(s.Back)
	case m.Query != nil:
		query(m.Query)
	default:
		fmt.Fprintf(&b, "check %q", m.Check)
	}
	return commands.Sum([]byte(b.String()))
}

// runDigest returns the SHA-256 of all steps of a run on a device. A process that resumes the run sends it, and the device compares it
// with the digest that it got first. The digest covers names of steps instead of their text, so another rocec can resume a run.
func runDigest(h *journal.Header, d *journal.Device) string {
	var b strings.Builder
	fmt.Fprintf(&b, "run %q undoes %q hold %q device %q role %q\n", h.Run, h.Undoes, h.Hold, d.Name, d.Role)
	name := func(list []journal.Made, n *int) string {
		if n == nil || *n < 0 || *n >= len(list) {
			return ""
		}
		return list[*n].Name
	}
	line := func(kind string, f *journal.File) {
		fmt.Fprintf(&b, "%s %q %q %q %o step %q query %q check %q\n", kind, f.Path, f.Base, f.Target, f.Mode, name(h.Steps, &f.Step),
			name(h.Queries, f.Query), name(h.Checks, f.Check))
	}
	for i := range d.Changes {
		line("change", &d.Changes[i])
	}
	for i := range d.States {
		line("state", &d.States[i])
	}
	return commands.Sum([]byte(b.String()))
}
