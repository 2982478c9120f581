// Package board shows the progress of a run over its waves ([Board]): a table for a terminal, and lines for a log.
package board

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/deploy"
)

// Board is the progress of a run over its waves: a table for a terminal, and lines for a log. Waves of the same phase and group of
// devices are one row. A log gets each outcome once: a failure at once, and the other outcomes of a row when the row ends.
type Board struct {
	rows  []*waveRow
	of    map[string]*waveRow // by device
	again map[string][]string // by outcome: devices with a second result
	order []string            // of the outcomes in again
	done  int                 // devices with a result
}

// waveRow contains waves of one kind.
type waveRow struct {
	phase       int
	group       string
	first, last int // waves, from 1; 0: the order is unknown
	names       []string
	takes       time.Duration // at most
	left        map[string]bool
	steps       map[string]string   // by device under way: its step
	good        map[string][]string // by outcome: devices with the wanted outcome, or not begun, that are not printed yet
	outcome     map[string]string   // by device: its last outcome
	order       []string            // of outcomes
}

func newWaveRow() *waveRow {
	return &waveRow{left: map[string]bool{}, steps: map[string]string{}, good: map[string][]string{}, outcome: map[string]string{}}
}

// New returns the board of a run over devices, with their order if it is known. Devices in no wave share a row.
func New(o *deploy.Order, devices []string) *Board {
	b := &Board{of: map[string]*waveRow{}, again: map[string][]string{}}
	add := func(r *waveRow, name string) {
		r.names = append(r.names, name)
		r.left[name] = true
		b.of[name] = r
	}
	if o != nil {
		for i, w := range o.Waves {
			if len(w.Devices) == 0 {
				continue
			}
			group := string(w.Devices[0].Device.Role) + " " + w.Devices[0].Device.Group
			var r *waveRow
			if n := len(b.rows); n > 0 && b.rows[n-1].phase == w.Phase && b.rows[n-1].group == group {
				r = b.rows[n-1]
			} else {
				r = newWaveRow()
				r.phase, r.group, r.first = w.Phase, group, i+1
				b.rows = append(b.rows, r)
			}
			r.last = i + 1
			r.takes += w.Longest()
			for _, d := range w.Devices {
				add(r, d.Device.Name)
			}
		}
	}
	rest := newWaveRow()
	for _, name := range devices {
		if b.of[name] == nil {
			add(rest, name)
		}
	}
	if len(rest.names) > 0 {
		b.rows = append(b.rows, rest)
	}
	return b
}

// Step records the present step of a device.
func (b *Board) Step(device, step string) {
	if r := b.of[device]; r != nil {
		r.steps[device] = step
	}
}

// Result records the outcome of a device, and returns the new lines of a log. A device gets a line at once if its outcome is not the
// wanted one. The other devices of a row get a line when the row is over.
func (b *Board) Result(device, outcome string, good bool, detail string) (lines []Line) {
	r := b.of[device]
	first := r != nil && r.left[device]
	if r != nil {
		delete(r.left, device)
		delete(r.steps, device)
		if r.outcome[device] = outcome; !slices.Contains(r.order, outcome) {
			r.order = append(r.order, outcome)
		}
	}
	switch {
	case first:
		b.done++
		if good || outcome == string(deploy.NotStarted) { // not printed: when a run ends early, all remaining devices have it
			r.good[outcome] = append(r.good[outcome], device)
		} else {
			lines = append(lines, Line{outcome, device, detail, false})
		}
		if len(r.left) == 0 {
			lines = append(lines, r.flush()...)
		}
		return lines
	case r != nil: // with undo-all, devices have a second outcome, which a log has below the first
		lines = r.flush()
	}
	if !good {
		return append(lines, Line{outcome, device, detail, false})
	}
	if !slices.Contains(b.order, outcome) {
		b.order = append(b.order, outcome)
	}
	b.again[outcome] = append(b.again[outcome], device)
	return lines
}

// Rest returns the lines of rows that have not ended, and of devices with a second result, when the run is over.
func (b *Board) Rest() (lines []Line) {
	for _, r := range b.rows {
		lines = append(lines, r.flush()...)
	}
	for _, outcome := range b.order {
		lines = append(lines, Line{outcome, nodeset.Text(b.again[outcome], nodeset.Devices, math.MaxInt), "", true})
	}
	b.again, b.order = map[string][]string{}, nil
	return lines
}

func (r *waveRow) flush() (lines []Line) {
	for _, outcome := range r.order {
		if names := r.good[outcome]; len(names) > 0 {
			lines = append(lines, Line{outcome, nodeset.Text(names, nodeset.Devices, math.MaxInt), "", outcome != string(deploy.NotStarted)})
		}
	}
	r.good = map[string][]string{}
	return lines
}

// Line is the outcome of some devices.
type Line struct {
	Outcome, Devices, Detail string
	Good                     bool
}

// Text returns the line for a log: "applied     leaf[01-04]".
func (l Line) Text(color bool) string {
	style := diag.Green
	if !l.Good {
		style = diag.Red
	}
	text := "  " + diag.Paint(color, style, fmt.Sprintf("%-10s", l.Outcome)) + "  " + l.Devices
	if l.Detail != "" {
		text += ": " + l.Detail
	}
	return text
}

// mostRows is the maximum number of rows of a board on a terminal.
const mostRows = 12

// Table returns the table for a terminal of a size: a line for the whole run, and one for each row. It only counts rows that are over or
// far ahead.
func (b *Board) Table(what string, width, height int) []string {
	var left time.Duration
	begin := len(b.rows)
	for i, r := range b.rows {
		if len(r.left) > 0 {
			begin = min(begin, i)
			left += r.takes * time.Duration(len(r.left)) / time.Duration(len(r.names))
		}
	}
	head := fmt.Sprintf("%s: %d of %s", what, b.done, diag.Count(len(b.of), "device"))
	if left > 0 {
		head += ", about " + view.ShortTime(left) + " left"
	}
	out := []string{head}
	most := min(mostRows, height-1)
	if len(b.rows) > most {
		most = min(mostRows, height-3) // two lines count the others
	}
	if most <= 0 {
		out = append(out, b.rows[min(begin, len(b.rows)-1)].text())[:max(min(height, 2), 1)]
		return cut(out, width)
	}
	begin = max(0, min(begin-min(2, most/2), len(b.rows)-most))
	if begin > 0 {
		out = append(out, fmt.Sprintf("  ... %s over", diag.Count(begin, "row")))
	}
	end := min(begin+most, len(b.rows))
	for _, r := range b.rows[begin:end] {
		out = append(out, r.text())
	}
	if n := len(b.rows) - end; n > 0 {
		out = append(out, fmt.Sprintf("  ... %s to come", diag.Count(n, "row")))
	}
	return cut(out, width)
}

// cut shortens lines to a width.
func cut(out []string, width int) []string {
	for i, line := range out {
		if r := []rune(line); len(r) > width {
			out[i] = string(r[:max(width-1, 0)]) + "…"
		}
	}
	return out
}

// text returns the row of a table: " 2-4 leaf[02-04] 1 applied; leaf03: soak".
func (r *waveRow) text() string {
	waves := ""
	switch {
	case r.first == 0:
	case r.first == r.last:
		waves = fmt.Sprint(r.first)
	default:
		waves = fmt.Sprintf("%d-%d", r.first, r.last)
	}
	var parts []string
	count := map[string]int{}
	for _, outcome := range r.outcome {
		count[outcome]++
	}
	for _, outcome := range r.order {
		if n := count[outcome]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, outcome))
		}
	}
	by := map[string][]string{}
	var steps []string
	for _, name := range r.names {
		if step, ok := r.steps[name]; ok {
			if by[step] == nil {
				steps = append(steps, step)
			}
			by[step] = append(by[step], name)
		}
	}
	for _, step := range steps {
		parts = append(parts, step+" on "+nodeset.Text(by[step], nodeset.Devices, math.MaxInt))
	}
	if len(parts) == 0 {
		parts = append(parts, "waits")
	}
	return fmt.Sprintf("  %-7s %-20s  %s", waves, nodeset.Text(r.names, nodeset.Devices, math.MaxInt), strings.Join(parts, "; "))
}
