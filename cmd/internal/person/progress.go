package person

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
)

// Progress shows how far a long verb is, on stderr: one line redrawn on a terminal, a line per finished device
// elsewhere (if lines is set), so that a log stays a log.
type Progress struct {
	mu    sync.Mutex
	w     io.Writer
	tty   bool
	color bool
	lines bool
	what  string // "Reading", "Applying"
	width int    // of lines
}

// Progress returns the progress of a verb; lines asks for a line per finished device. It writes nothing with --quiet.
func (p *Person) Progress(what string, lines bool) *Progress {
	if p.Quiet {
		return &Progress{w: io.Discard}
	}
	_, tty := Terminal(p.Stderr)
	return &Progress{w: p.Stderr, tty: tty, color: p.Paints(p.Stderr), lines: lines, what: what, width: p.Width(p.Stderr)}
}

// Step shows that done of total devices are finished; line is the result of the latest.
func (p *Progress) Step(done, total int, line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lines && line != "" {
		p.clear()
		fmt.Fprintln(p.w, strings.Join(view.Fit("  "+line, p.width), "\n"))
	}
	if !p.tty || total == 0 {
		return
	}
	const cells = 24
	full := done * cells / total
	fmt.Fprintf(p.w, "\r\x1b[K%s %s  [%s%s] %d/%d", p.what, diag.Count(total, "device"),
		strings.Repeat("#", full), strings.Repeat(" ", cells-full), done, total)
}

// End clears the redrawn line.
func (p *Progress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *Progress) clear() {
	if p.tty {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// Mark paints the outcome of a device.
func (p *Progress) Mark(good bool, s string) string {
	if good {
		return diag.Paint(p.color, diag.Green, s)
	}
	return diag.Paint(p.color, diag.Red, s)
}
