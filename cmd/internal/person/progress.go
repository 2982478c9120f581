package person

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
)

// Progress shows the progress of a long verb on stderr. On a terminal it redraws its lines; elsewhere it prints permanent lines (if lines
// is set), as for a log. On a terminal it shows nothing for work that ends within a second.
type Progress struct {
	on    *canvas
	tty   bool
	color bool
	lines bool
	what  string // "Reading", "Applying"
	width int    // permanent lines
	began time.Time
}

// Progress returns the progress of a verb; with lines it prints permanent lines. It writes nothing with --quiet.
func (p *Person) Progress(what string, lines bool) *Progress {
	if p.Quiet {
		return &Progress{on: &canvas{w: io.Discard}}
	}
	_, tty := Terminal(p.Stderr)
	return &Progress{
		on: canvasOf(p), tty: tty, color: p.Paints(p.Stderr), lines: lines, what: what, width: p.Width(p.Stderr), began: time.Now(),
	}
}

// Step shows that done of total devices are finished, and the estimated time for the others.
func (p *Progress) Step(done, total int) {
	if total == 0 {
		return
	}
	const cells = 24
	full := done * cells / total
	text := fmt.Sprintf("%s %s  [%s%s] %d/%d", p.what, diag.Count(total, "device"),
		strings.Repeat("#", full), strings.Repeat(" ", cells-full), done, total)
	if took := time.Since(p.began); done > 0 && done < total && took > time.Second {
		text += ", about " + view.ShortTime(took/time.Duration(done)*time.Duration(total-done)) + " left"
	}
	p.Draw(text)
}

// Draw replaces the drawing on a terminal.
func (p *Progress) Draw(lines ...string) {
	if p.tty {
		p.on.draw(lines)
	}
}

// Print writes permanent lines, above the next drawing.
func (p *Progress) Print(lines ...string) {
	if !p.lines || len(lines) == 0 {
		return
	}
	var text strings.Builder
	for _, line := range lines {
		fmt.Fprintln(&text, strings.Join(view.Fit(line, p.width), "\n"))
	}
	p.on.write(p.on.w, []byte(text.String())) //nolint:errcheck // a closed terminal shows no error
}

// Color reports whether lines get colours.
func (p *Progress) Color() bool { return p.color }

// Size returns the columns and lines of the space for drawing.
func (p *Progress) Size() (columns, lines int) { return p.on.room() }

// End clears the drawing.
func (p *Progress) End() { p.on.write(p.on.w, nil) } //nolint:errcheck // a closed terminal shows no error

// Watch shows on a terminal that indivisible work goes on, after its first second: the name of the work, its time so far, and a text
// about the rest. Call end when the work is over.
func (p *Progress) Watch(rest func() string) (end func()) {
	if !p.tty {
		return func() {}
	}
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-over:
				p.End()
				return
			case <-tick.C:
				text := p.what + ", " + view.ShortTime(time.Since(p.began))
				if more := rest(); more != "" {
					text += "; " + more
				}
				p.Draw(text)
			}
		}
	}()
	return func() {
		close(over)
		<-ended
	}
}
