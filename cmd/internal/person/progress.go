package person

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
)

// Progress shows how far a long verb is, on stderr: lines that are redrawn on a terminal, and lines that stay elsewhere (if lines is
// set), so that a log stays a log. A terminal sees nothing of work that is over within a second.
type Progress struct {
	mu    sync.Mutex
	w     io.Writer
	tty   bool
	color bool
	lines bool
	what  string // "Reading", "Applying"
	width int    // of lines
	began time.Time
	drawn int // lines that the next ones replace
}

// Progress returns the progress of a verb; lines asks for lines that stay. It writes nothing with --quiet.
func (p *Person) Progress(what string, lines bool) *Progress {
	if p.Quiet {
		return &Progress{w: io.Discard}
	}
	_, tty := Terminal(p.Stderr)
	return &Progress{
		w: p.Stderr, tty: tty, color: p.Paints(p.Stderr), lines: lines, what: what, width: p.Width(p.Stderr), began: time.Now(),
	}
}

// Step shows that done of total devices are finished, and how long the others take at this rate.
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

// Draw replaces what is drawn, on a terminal.
func (p *Progress) Draw(lines ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.tty {
		return
	}
	p.clear()
	for _, line := range lines {
		fmt.Fprintln(p.w, line)
	}
	p.drawn = len(lines)
}

// Print writes lines that stay above what is drawn next.
func (p *Progress) Print(lines ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.lines || len(lines) == 0 {
		return
	}
	p.clear()
	for _, line := range lines {
		fmt.Fprintln(p.w, strings.Join(view.Fit(line, p.width), "\n"))
	}
}

// Color reports whether lines get colours.
func (p *Progress) Color() bool { return p.color }

// Width returns the columns of a line.
func (p *Progress) Width() int { return p.width }

// End clears what is drawn.
func (p *Progress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *Progress) clear() {
	if p.drawn > 0 {
		fmt.Fprintf(p.w, "\r\x1b[%dA\x1b[J", p.drawn)
		p.drawn = 0
	}
}

// Watch shows on a terminal that work of one piece goes on, once it takes a second: what, for how long, and a text about the rest. Call
// end when it is over.
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
