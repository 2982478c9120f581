package person

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/cmd/internal/exit"
)

// TestProgress: each drawing replaces the previous one, lines stay above the drawing, and the end clears it.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := &Progress{on: &canvas{w: &out}, tty: true, lines: true, what: "Reading", width: 80, began: time.Now()}
		p.Draw("a", "b")
		p.Print("  stays")
		p.Draw("c")
		p.End()
		p.End()
		assert.Equal(t, "a\nb\n\r\x1b[2A\x1b[J  stays\nc\n\r\x1b[1A\x1b[J", out.String())

		out.Reset()
		p.Step(0, 0)
		assert.Empty(t, out.String(), "no device is read")
		p.Step(1, 4)
		assert.Equal(t, "Reading 4 devices  [######                  ] 1/4\n", out.String())
		time.Sleep(10 * time.Second)
		p.Step(2, 4)
		assert.Contains(t, out.String(), "2/4, about 10s left\n")

		out.Reset()
		log := &Progress{on: &canvas{w: &out}, lines: true, width: 80}
		log.Draw("drawn")
		log.Step(1, 2)
		log.Print("  a line")
		log.End()
		assert.Equal(t, "  a line\n", out.String(), "a log stays a log")
	})
}

// TestWatch: work of less than a second shows nothing. Longer work shows its time and the caller's text about the rest.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		begin := func(tty bool) *Progress {
			return &Progress{on: &canvas{w: &out}, tty: tty, what: "Judging", began: time.Now()}
		}
		end := begin(true).Watch(func() string { return "most is done" })
		time.Sleep(900 * time.Millisecond)
		end()
		assert.Empty(t, out.String())

		end = begin(true).Watch(func() string { return "most is done" })
		time.Sleep(2500 * time.Millisecond)
		end()
		assert.Equal(t, "Judging, 1s; most is done\n\r\x1b[1A\x1b[JJudging, 2s; most is done\n\r\x1b[1A\x1b[J", out.String())

		out.Reset()
		end = begin(false).Watch(func() string { return "" })
		time.Sleep(time.Minute)
		end()
		assert.Empty(t, out.String(), "a log has no drawing")
	})
}

// TestNobodyToAsk: without a terminal rocec does not ask, and the message names the flag.
func TestNobodyToAsk(t *testing.T) {
	var out bytes.Buffer
	p := &Person{Stdin: strings.NewReader("yes\n"), Stderr: &out, Getenv: func(string) string { return "" }}
	err := p.Ask(t.Context(), "Apply this?", "yes")
	var e *exit.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, exit.Usage, e.Status)
	assert.Contains(t, e.Message, "to apply without asking use --auto-approve")
	assert.Empty(t, out.String(), "the question is not printed either")
	_, err = p.Passphrase(t.Context(), "/home/u/.ssh/id_ed25519")
	assert.ErrorContains(t, err, "load it with ssh-add")
}

// TestPaints: --color has priority, then CLICOLOR_FORCE. Without them, only a terminal gets colours.
func TestPaints(t *testing.T) {
	env := map[string]string{}
	p := &Person{Color: "auto", Getenv: func(key string) string { return env[key] }}
	assert.False(t, p.Paints(&bytes.Buffer{}))
	env["CLICOLOR_FORCE"] = "1"
	assert.True(t, p.Paints(&bytes.Buffer{}))
	env["CLICOLOR_FORCE"] = "0"
	assert.False(t, p.Paints(&bytes.Buffer{}))
	p.Color = "always"
	assert.True(t, p.Paints(&bytes.Buffer{}))
	p.Color, env["CLICOLOR_FORCE"] = "never", "1"
	assert.False(t, p.Paints(&bytes.Buffer{}))
}

// TestSayOnce: a repeated warning is printed once.
func TestSayOnce(t *testing.T) {
	var out bytes.Buffer
	p := &Person{Stderr: &out, Getenv: func(string) string { return "" }}
	for range 2 {
		p.WarnOnce(assert.AnError)
	}
	assert.Equal(t, "rocec: "+assert.AnError.Error()+"\n", out.String())
}

// TestDrawingHidesNothing: other text on the terminal stays whole and above the next drawing. Nothing is drawn beside a question, and a
// drawing fits the current size of the terminal.
func TestDrawingHidesNothing(t *testing.T) {
	var out bytes.Buffer
	columns, lines := 30, 4
	c := &canvas{w: &out, size: func() (int, int) { return columns, lines }}
	p := &Progress{on: c, tty: true}
	log := &shared{&out, c}
	fmt.Fprintln(log, "before")
	p.Draw("one", "two")
	fmt.Fprintln(log, "a line of a log")
	p.Draw("three")
	assert.Equal(t, "before\none\ntwo\n\r\x1b[2A\x1b[Ja line of a log\nthree\n", out.String())

	out.Reset()
	fmt.Fprint(log, "Go on? ")
	p.Draw("four")
	assert.Equal(t, "\r\x1b[1A\x1b[JGo on? ", out.String())
	c.answered()

	out.Reset()
	p.Draw("1", "2", "3", "4", "5")
	assert.Equal(t, "1\n2\n3\n", out.String(), "a larger drawing scrolls the terminal, and its upper part cannot be cleared")
	out.Reset()
	p.Draw(strings.Repeat("x", 40))
	assert.Equal(t, "\r\x1b[3A\x1b[J"+strings.Repeat("x", 28)+"…\n", out.String())
	out.Reset()
	columns = 10
	p.End()
	assert.Equal(t, "\r\x1b[3A\x1b[J", out.String(), "a narrower terminal has wrapped the line")
}
