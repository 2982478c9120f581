package main

import (
	"fmt"
	"io"
	"os"

	"github.com/rocec/rocec/cmd/internal/bundle"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/docs/evidence"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target"
)

// mostJudged limits the printed lines about the claims of a bundle.
const mostJudged = 200

// judgedText returns the line about a claim of a bundle.
func judgedText(j *bundle.Judged) string {
	text := fmt.Sprintf("%s: %s: %s", diag.Escape(diag.Cut(j.Devices)), diag.Escape(diag.Cut(j.ID)), j.Found)
	if j.Differs() {
		text += fmt.Sprintf(", and the bundle says %q", diag.Cut(j.Written))
	}
	text += "."
	if j.Why != "" {
		text += " " + diag.Escape(j.Why)
	}
	return text
}

// judgeBundle derives the verdicts of a saved bundle again, and compares them with the written ones. It needs no fabric and no device.
func (a *app) judgeBundle(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return exit.Fail(exit.Usage, "%v", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, evidence.MaxBundle+1))
	if err != nil {
		return exit.Fail(exit.Usage, "%v", err)
	}
	b, err := evidence.Parse(string(text))
	if err != nil {
		return exit.Fail(exit.Errors, "%s cannot be judged: %v", diag.Escape(name), err)
	}
	count, differ := map[target.Verdict]int{}, 0
	var lines []string
	for _, j := range bundle.Judge(b) {
		count[j.Found]++
		if j.Differs() {
			differ++
		}
		if j.Differs() || j.Why != "" {
			lines = append(lines, judgedText(&j))
		}
	}
	for _, p := range b.Parts {
		if p.NotRead != "" {
			lines = append(lines, fmt.Sprintf("%s: not read: %s", diag.Escape(diag.Cut(p.Devices)), diag.Escape(diag.Cut(p.NotRead))))
		}
	}
	for _, line := range lines[:min(len(lines), mostJudged)] {
		fmt.Fprintln(a.Fitted(a.Stdout), line)
	}
	if more := len(lines) - mostJudged; more > 0 {
		fmt.Fprintf(a.Stdout, "... and %s\n", diag.Count(more, "more line"))
	}
	judged, open := count[target.Holds]+count[target.DoesNotHold], count[target.NotDecided]+count[target.Echo]
	fmt.Fprintf(a.Stdout, "%s: %d hold, %d do not hold, %d not decided.\n", diag.Count(judged+open, "claim"), count[target.Holds],
		count[target.DoesNotHold], open)
	who := "The devices are simulated: this is no evidence about real ones."
	if b.Real {
		who = "The devices are real, according to the bundle."
	}
	fmt.Fprintln(a.Stdout, who)
	switch {
	case !b.Whole:
		return exit.Fail(exit.Errors, "the end of %s is missing: its last line is not %q", diag.Escape(name), evidence.End)
	case differ > 0:
		return exit.Fail(exit.Errors, "%s of %s %s from its answers", diag.Count(differ, "verdict"), diag.Escape(name),
			diag.Plural(differ, "differs", "differ"))
	case judged == 0:
		return exit.Fail(exit.Errors, "no claim of %s was decided", diag.Escape(name))
	}
	fmt.Fprintln(a.Stdout, "Every written verdict is the one of its answers.")
	return nil
}
