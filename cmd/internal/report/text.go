package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rocec/rocec/cmd/internal/claimed"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/target/lint"
	"github.com/rocec/rocec/validate"
)

// mostShown is the number of diagnostics that are printed in full, mostNamed the number of good files of devices that are listed
// separately.
const (
	mostShown = 20
	mostNamed = 20
)

// Text writes the diagnostics. Without errors, it also writes the verdict on PFC loops of every lossless group, a line each, and the size
// of the fabric. For files of devices it writes the type of each file instead. It writes the proofs only with --why.
func Text(w io.Writer, r *Report, o Options) error {
	if r.Fabric != nil && !r.Diags.HasErrors() && !o.Quiet {
		diagnostics(w, r, o)
		fabricText(w, r, o)
		return nil
	}
	Diagnostics(w, r, o)
	if len(r.Diags) == 0 && len(r.Ignored) > 0 && !o.Quiet {
		fmt.Fprintf(w, "%s ignored by comments", diag.Count(len(r.Ignored), "finding"))
		if !o.Verbose {
			fmt.Fprint(w, "; -v lists them")
		}
		fmt.Fprintln(w)
	}
	if r.Files != nil && !o.Quiet {
		filesText(w, r, o)
	}
	if s := r.NotJudged(); s != "" {
		fmt.Fprintln(w, diag.Escape(s))
	}
	return nil
}

// Diagnostics writes the diagnostics and, if there are any, the line that counts them. Every verb prints this about a fabric.
func Diagnostics(w io.Writer, r *Report, o Options) {
	diagnostics(w, r, o)
	knownText(w, r, o)
	if len(r.Diags) == 0 {
		return
	}
	fmt.Fprintf(w, "%s in %s; run %s\n", r.counts(), diag.Count(r.files(), "file"), explain(r.Diags))
}

func diagnostics(w io.Writer, r *Report, o Options) {
	p := &diag.Printer{Files: r.Source.Files, Color: o.Color, Width: o.Width, Most: mostShown}
	var fix, know diag.List
	for _, d := range r.Diags {
		if d.Severity == diag.Notice {
			know = append(know, d)
		} else {
			fix = append(fix, d)
		}
	}
	if !o.Verbose && !o.Why {
		fix, know = folded(r, fix, know)
	}
	p.Print(w, append(fix, know...)) //nolint:errcheck // a closed terminal shows no error
	if o.Verbose {
		for _, i := range r.Ignored {
			p.Prose(w, fmt.Sprintf("ignored[%s]: ", i.Code), Place(i.At)+": "+i.Detail)                    //nolint:errcheck // as above
			p.Prose(w, "  reason: ", fmt.Sprintf("%s (line %d)", i.By.Reason, max(i.By.At.Start.Line, 1))) //nolint:errcheck // as above
		}
	}
}

// Place returns "file:line" of a place, or "-" without a place.
func Place(at diag.Range) string {
	if at.Filename == "" {
		return "-"
	}
	return fmt.Sprintf("%s:%d", diag.Escape(at.Filename), at.Start.Line)
}

// explain returns the command that explains the worst finding of a list.
func explain(l diag.List) string { return diag.Rocec("explain", diag.Arg("CODE", worst(l).Code)) }

// worst returns the first error, or else the first warning, or else the first note.
func worst(l diag.List) *diag.Diagnostic {
	return slices.MinFunc(l, func(x, y *diag.Diagnostic) int { return cmp.Compare(x.Severity, y.Severity) })
}

// fabricText writes a line for every lossless group and a line of counts; with --why also the proofs and their assumptions.
func fabricText(w io.Writer, r *Report, o Options) {
	prose := &diag.Printer{Width: o.Width}
	var names, verdicts int // widths
	for _, p := range r.Proofs {
		names, verdicts = max(names, utf8.RuneCountInString(p.Group.Name)), max(verdicts, len(shortVerdict(p)))
	}
	var assumed []string // once for all groups
	for _, p := range r.Proofs {
		line := fmt.Sprintf("%-*s  %-*s", names, p.Group.Name, verdicts, shortVerdict(p))
		if p.Fabric.Routing != "" {
			line += fmt.Sprintf("  (%s)", p.Fabric.Routing)
		}
		line = strings.TrimRight(line, " ")
		if p.Verdict == validate.Free {
			line = strings.Replace(line, "free", diag.Paint(o.Color, diag.Green, "free"), 1)
		}
		fmt.Fprintln(w, line)
		if !o.Why {
			for _, n := range p.Unjudged() {
				prose.Prose(w, "  note: ", n) //nolint:errcheck // a closed terminal shows no error
			}
			continue
		}
		why := p.Why()
		if by := p.By(); by != "" {
			why = by + ": " + why
		}
		prose.Prose(w, "  ", why) //nolint:errcheck // a closed terminal shows no error
		for _, n := range p.NoteTexts() {
			prose.Prose(w, "  note: ", n) //nolint:errcheck // as above
		}
		for _, as := range claimed.Texts(p, r.Claims) {
			if !slices.Contains(assumed, as) {
				assumed = append(assumed, as)
			}
		}
	}
	if assumed != nil {
		prose.Prose(w, "assuming: ", strings.Join(assumed, "; ")) //nolint:errcheck // as above
	}
	var counts strings.Builder
	prose.Prose(&counts, "", fabricCounts(r, o)) //nolint:errcheck // a builder takes everything
	line := counts.String()
	// Wrapped before it is painted, as prose shows escape sequences as text.
	if head := goodFabric(r); len(head) < len(line) && strings.HasPrefix(line[len(head):], "good:") {
		line = line[:len(head)] + diag.Paint(o.Color, diag.Green, "good") + line[len(head)+len("good"):]
	}
	io.WriteString(w, line) //nolint:errcheck // as above
}

// goodFabric returns the beginning of a line of counts, before the word good.
func goodFabric(r *Report) string { return fmt.Sprintf("fabric %q is ", r.Fabric.Name) }

// fabricCounts returns the line that counts the parts of a fabric without errors, with remarks on them.
func fabricCounts(r *Report, o Options) string {
	switches, hosts := 0, 0
	for _, d := range r.Fabric.Devices {
		if d.Switch != nil {
			switches++
		} else {
			hosts++
		}
	}
	parts := []string{
		diag.Count(switches, "switch"), diag.Count(hosts, "host"), diag.Count(len(r.Fabric.Links), "link"),
		diag.Count(len(r.Proofs), "lossless group"),
	}
	if n := r.Diags.Count(diag.Warning); n > 0 {
		parts = append(parts, diag.Count(n, "warning"))
	}
	if n := r.Diags.Count(diag.Notice); n > 0 {
		parts = append(parts, diag.Count(n, "note"))
	}
	if n := len(r.Ignored); n > 0 {
		parts = append(parts, fmt.Sprintf("%d ignored", n))
	}
	text := goodFabric(r) + "good: " + strings.Join(parts, ", ")
	switch {
	case r.Diags.Count(diag.Warning) > 0:
		return text + "; run " + explain(r.Diags)
	case len(r.Ignored) > 0 && !o.Verbose:
		return text + "; -v lists what is ignored"
	case len(r.Proofs) > 0 && !o.Why:
		return text + "; --why shows the proof"
	}
	return text
}

// shortVerdict returns the verdict, and the number of failed links up to which it is valid, for a separate line.
func shortVerdict(p validate.GroupProof) string {
	switch {
	case p.Verdict == validate.Prone:
		return "prone to PFC loops"
	case p.Verdict != validate.Free:
		return "not known to be free of PFC loops"
	case p.Any:
		return "free of PFC loops, any failures"
	case p.Failures > 0:
		return "free of PFC loops, up to " + diag.Count(p.Failures, "failure")
	}
	return "free of PFC loops, no failures"
}

// knownText writes the findings in the baseline, a line each, and the rows that match no finding.
func knownText(w io.Writer, r *Report, o Options) {
	c := r.Baseline
	if c == nil || o.Quiet {
		return
	}
	p := &diag.Printer{Width: o.Width}
	say := func(lead, text string) { p.Prose(w, lead, text) } //nolint:errcheck // a closed terminal shows no error
	if n := len(c.Held); n > 0 {
		say("", fmt.Sprintf("%s known by %s:", diag.Count(n, "finding"), c.Name))
		for i, k := range c.Held {
			if i == mostShown && !o.Verbose {
				say("  ", fmt.Sprintf("... and %d more; -v lists them", n-i))
				break
			}
			say("  ", fmt.Sprintf("%s[%s] %s (%s)", k.Finding.Severity, k.Finding.Code, Place(k.Diagnostic.At), k.Accepted()))
		}
	}
	for _, line := range c.Sentences() {
		say("", line)
	}
}

// plainSwitch is the sentence about a switch without pauses, marks and reserved buffers.
const plainSwitch = "this switch has no RoCE configuration at all"

// filesText lists the files of devices that are good, or at least without errors, and the type of each. It counts the files without a
// known name.
func filesText(w io.Writer, r *Report, o Options) {
	if !r.Diags.HasErrors() {
		worst := r.worstOf()
		var plain, good []DeviceFile
		word := diag.Paint(o.Color, diag.Green, "good")
		known := false // a baseline has an error
		judged, _ := judged(r.Files)
		for _, f := range judged {
			s, found := worst[f.Name]
			found = found && s < diag.Notice
			if known = known || found && s == diag.Error; known {
				word = "without new errors"
			} else if found {
				word = "without errors"
			}
			if f.Plain && !found {
				plain = append(plain, f)
			} else {
				good = append(good, f)
			}
		}
		filesList(w, good, "is "+word, "are "+word)
		if len(plain) == 1 {
			fmt.Fprintf(w, "%s (%s): %s\n", diag.Escape(plain[0].Name), plain[0].Dialect, plainSwitch)
		} else {
			filesList(w, plain, "", "are of switches without any RoCE configuration")
		}
	}
	for _, f := range r.Files {
		if o.Verbose {
			understoodText(&diag.Printer{Width: o.Width}, w, f.Name, f.Understood)
		}
	}
	if n := r.PassedOver; n > 0 {
		fmt.Fprintf(w, "%s %s passed over: not the name of a switch's file\n", diag.Count(n, "further file"), diag.Plural(n, "was", "were"))
	}
	devicesText(w, r.Files, !r.Diags.HasErrors())
}

// understoodText prints the fields that the rows of a file set, and the reasons why other rows set none.
func understoodText(p *diag.Printer, w io.Writer, name string, parts []lint.Part) {
	var means, aside []string
	for _, part := range parts {
		text := fmt.Sprintf("%s %s", part.What, diag.Number(part.Rows))
		if part.Means {
			means = append(means, text)
		} else {
			aside = append(aside, text)
		}
	}
	if len(parts) == 0 {
		return
	}
	text := "rows by what they set: " + strings.Join(means, ", ")
	if len(aside) > 0 {
		text += "; set nothing here: " + strings.Join(aside, ", ")
	}
	p.Prose(w, diag.Escape(name)+": ", text+".") //nolint:errcheck // a closed terminal shows no error
}

// worstOf returns the severity of the worst finding in each file that has one.
func (r *Report) worstOf() map[string]diag.Severity {
	out := map[string]diag.Severity{}
	add := func(d *diag.Diagnostic) {
		if s, ok := out[d.At.Filename]; !ok || d.Severity < s {
			out[d.At.Filename] = d.Severity
		}
	}
	for _, d := range r.Diags {
		add(d)
	}
	for _, k := range r.Baseline.Known() {
		add(k.Diagnostic)
	}
	return out
}

// NotJudged counts the files if at least one was not judged, with the reasons: "3 files: 2 good, 1 not judged (it is empty)". It is empty
// if all were judged.
func (r *Report) NotJudged() string {
	judged, not := judged(r.Files)
	if len(not) == 0 {
		return ""
	}
	worst := r.worstOf()
	counts := map[string]int{}
	kinds := []string{"good", "without RoCE", "with warnings", "with errors"}
	for _, f := range judged {
		s, found := worst[f.Name]
		switch {
		case found && s == diag.Error:
			counts["with errors"]++
		case found && s == diag.Warning:
			counts["with warnings"]++
		case f.Plain:
			counts["without RoCE"]++
		default:
			counts["good"]++
		}
	}
	var parts, reasons []string
	for _, kind := range kinds {
		if n := counts[kind]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", diag.Number(n), kind))
		}
	}
	for _, part := range []bool{true, false} {
		n := 0
		reasons = nil
		for _, f := range not {
			if f.Part != part {
				continue
			}
			why := f.Why
			if len(not) > 1 {
				why = cmp.Or(f.Brief, why)
			}
			if n++; !slices.Contains(reasons, why) {
				reasons = append(reasons, why)
			}
		}
		const mostReasons = 3
		if n := len(reasons) - mostReasons; n > 0 {
			reasons = append(reasons[:mostReasons], diag.Count(n, "further reason"))
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s (%s)", diag.Number(n), lint.Judged(part), strings.Join(reasons, "; ")))
		}
	}
	return diag.Count(len(r.Files), "file") + ": " + strings.Join(parts, ", ")
}

// filesList writes a statement about files, grouped by their kinds.
func filesList(w io.Writer, files []DeviceFile, one, many string) {
	switch {
	case len(files) == 0:
		return
	case len(files) == 1:
		fmt.Fprintf(w, "1 file %s: %s (%s)\n", one, diag.Escape(files[0].Name), files[0].Dialect)
		return
	}
	fmt.Fprintf(w, "%s %s:\n", diag.Count(len(files), "file"), many)
	if len(files) > mostNamed {
		alike := map[string]int{}
		for _, f := range files {
			alike[f.Dialect]++
		}
		for _, dialect := range slices.Sorted(maps.Keys(alike)) {
			fmt.Fprintf(w, "  %s: %s\n", diag.Count(alike[dialect], "file"), dialect)
		}
		return
	}
	for _, f := range files {
		fmt.Fprintf(w, "  %s (%s)\n", diag.Escape(f.Name), f.Dialect)
	}
}

// Verdict returns the verdict and its reason in one line.
func Verdict(p validate.GroupProof) string {
	switch p.Verdict {
	case validate.Free:
		return "free of PFC loops" + p.Scope()
	case validate.Prone:
		return "prone to PFC loops"
	}
	return "not known to be free of PFC loops"
}
