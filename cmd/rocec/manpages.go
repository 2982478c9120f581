package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/wholefile"
)

// flagHelp is the help of one flag.
type flagHelp struct{ name, value, text string }

// flagHelps returns the flags of a set, sorted by name, without hidden flags.
func flagHelps(set *pflag.FlagSet) (out []flagHelp) {
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		value, text := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.NoOptDefVal != "" && f.Value.Type() != "bool" { // the value must be in the same word, after =
			name, value = name+"[="+value+"]", ""
		}
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if !slices.Contains([]string{"", "false", "[]", "0", "0s"}, f.DefValue) {
			text += " (default " + f.DefValue + ")"
		}
		out = append(out, flagHelp{name, value, text})
	})
	return out
}

// shownVerbs returns the verbs that the help of a command lists.
func shownVerbs(cmd *cobra.Command) (out []*cobra.Command) {
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			out = append(out, c)
		}
	}
	return out
}

// paragraphs calls prose for each paragraph of a long help, and columns for a paragraph that is set in columns, whose lines stay.
func paragraphs(long string, prose, columns func(string)) {
	for text := range strings.SplitSeq(strings.Trim(long, "\n"), "\n\n") {
		if strings.HasPrefix(text, " ") || strings.Contains(text, "\n ") {
			columns(text)
			continue
		}
		prose(strings.ReplaceAll(text, "\n", " "))
	}
}

// long returns the help text of a command.
func long(cmd *cobra.Command) string {
	if cmd.Long != "" {
		return cmd.Long
	}
	return strings.ToUpper(cmd.Short[:1]) + cmd.Short[1:] + "."
}

// writeManPages writes a man page for every verb into a folder, and creates the folder if needed. It returns the number of pages.
func writeManPages(root *cobra.Command, dir string) (int, error) {
	defer wholefile.Begin()()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	written := 0
	var walk func(*cobra.Command) error
	walk = func(cmd *cobra.Command) error {
		written++
		if err := os.WriteFile(filepath.Join(dir, manName(cmd)+".1"), []byte(manPage(cmd)), 0o644); err != nil {
			return err
		}
		for _, c := range shownVerbs(cmd) {
			if err := walk(c); err != nil {
				return err
			}
		}
		return nil
	}
	return written, walk(root)
}

// manName returns the name of a man page, such as rocec-lab-exec.
func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// roff is a man page that is being written.
type roff struct{ strings.Builder }

// manPage returns the man page of a command. The page has no date or version, so it changes only with its text.
func manPage(cmd *cobra.Command) string {
	r := &roff{}
	fmt.Fprintf(r, ".TH %s 1 \"\" rocec \"rocec manual\"\n.nh\n.ad l\n", escapeRoff(strings.ToUpper(manName(cmd))))
	r.section("NAME")
	r.line(escapeRoff(manName(cmd)) + ` \- ` + escapeRoff(cmd.Short))
	r.section("SYNOPSIS")
	path := cmd.CommandPath()
	r.line(bold(path) + escapeRoff(strings.TrimPrefix(cmd.UseLine(), path)))
	r.section("DESCRIPTION")
	r.prose(long(cmd))
	if cmd.HasParent() {
		r.verbs(shownVerbs(cmd))
	} else {
		for _, g := range cmd.Groups() {
			r.line(".SS " + escapeRoff(g.Title))
			r.verbs(slices.DeleteFunc(shownVerbs(cmd), func(c *cobra.Command) bool { return c.GroupID != g.ID }))
		}
	}
	if flags := flagHelps(cmd.LocalFlags()); len(flags) > 0 {
		r.section("OPTIONS")
		for _, f := range flags {
			r.item(strings.TrimRight(bold(f.name)+" "+italic(f.value), " "), f.text)
		}
	}
	if cmd.Example != "" {
		r.section("EXAMPLES")
		r.columns(cmd.Example)
	}
	if !cmd.HasParent() {
		r.section("EXIT STATUS")
		for _, e := range exit.Meanings {
			r.item(bold(fmt.Sprint(e.Status)), e.Meaning)
		}
		return r.String()
	}
	r.section("SEE ALSO")
	r.text("The options of every verb and the exit codes: " + cmd.Root().Name() + "(1). The manual: rocec help README.")
	return r.String()
}

func (r *roff) line(s string)    { r.WriteString(s + "\n") }
func (r *roff) section(s string) { r.line(".SH " + s) }

// text writes a paragraph and escapes it for roff.
func (r *roff) text(s string) { r.line(escapeRoff(s)) }

func (r *roff) prose(s string) {
	first := true
	begin := func() {
		if !first {
			r.line(".PP")
		}
		first = false
	}
	paragraphs(s, func(text string) { begin(); r.text(text) }, func(text string) { begin(); r.columns(text) })
}

func (r *roff) columns(s string) {
	r.line(".nf")
	for line := range strings.SplitSeq(s, "\n") {
		r.text(line)
	}
	r.line(".fi")
}

func (r *roff) item(head, text string) {
	r.line(".TP")
	r.line(head)
	r.text(text)
}

func (r *roff) verbs(list []*cobra.Command) {
	for _, c := range list {
		r.item(bold(manName(c))+"(1)", c.Short)
	}
}

func bold(s string) string { return `\fB` + escapeRoff(s) + `\fR` }

func italic(s string) string {
	if s == "" {
		return ""
	}
	return `\fI` + escapeRoff(s) + `\fR`
}

// roffSigns are the characters that roff would replace.
var roffSigns = map[rune]string{'\\': `\e`, '-': `\-`, '\'': `\(aq`, '`': `\(ga`, '^': `\(ha`, '~': `\(ti`, '"': `\(dq`}

// escapeRoff escapes text so that roff prints it unchanged.
func escapeRoff(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch sign, ok := roffSigns[r]; {
		case ok:
			b.WriteString(sign)
		case r >= utf8.RuneSelf:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	if text := b.String(); strings.HasPrefix(text, ".") {
		return `\&` + text
	}
	return b.String()
}
