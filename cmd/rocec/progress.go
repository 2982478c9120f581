package main

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang/diag"
)

// progress shows how far a long verb is, on stderr: one line redrawn on a terminal, a line per finished device
// elsewhere (if lines is set), so that a log stays a log.
type progress struct {
	mu    sync.Mutex
	w     io.Writer
	tty   bool
	color bool
	lines bool
	what  string // "Reading", "Applying"
	width int    // of lines
}

func (a *app) progress(what string, lines bool) *progress {
	if a.quiet {
		return &progress{w: io.Discard}
	}
	_, tty := terminal(a.stderr)
	return &progress{w: a.stderr, tty: tty, color: a.paints(a.stderr), lines: lines, what: what, width: a.width(a.stderr)}
}

// step tells that done of total devices are finished; line says what became of the latest.
func (p *progress) step(done, total int, line string) {
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

// end clears the redrawn line.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *progress) clear() {
	if p.tty {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// mark paints the outcome of a device.
func (p *progress) mark(good bool, s string) string {
	if good {
		return diag.Paint(p.color, diag.Green, s)
	}
	return diag.Paint(p.color, diag.Red, s)
}
