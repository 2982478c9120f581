package docs

import (
	"fmt"
	"iter"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/rocec/rocec/lang/diag"
)

// wordsPage is the page with the words that verbs print. No other list of these words exists.
const wordsPage = "words"

// Word is a word that a verb prints, with one of its meanings.
type Word struct {
	Names   []string // its spellings in the output, in lower case
	Where   string   // the heading of its table, which names the verb that prints it
	Means   string   // Markdown
	Page    *Page    // the page with more; nil: the row has no link
	Section string   // the heading on that page, or its title
}

// Words returns the words that verbs print, in the order of their page.
func Words() (out []Word) {
	row := regexp.MustCompile(`^\| ([a-z][a-zA-Z ,]*) \| (.*) \| \[([^]]+)\]\(([a-z/A-Z-]+)\.md(?:#[^)]*)?\) \|$`)
	where := ""
	for line := range strings.Lines(Find(wordsPage).Body) {
		line = strings.TrimSuffix(line, "\n")
		if title, is := strings.CutPrefix(line, "## "); is {
			where = title
		}
		if m := row.FindStringSubmatch(line); m != nil {
			out = append(out, Word{strings.Split(strings.ToLower(m[1]), ", "), where, m[2], Find(m[4]), m[3]})
		}
	}
	return out
}

// WordsOf returns the meanings of a word that a person copies from the output: in upper or lower case, as a plural, as a flag, or with
// text after it.
func WordsOf(text string) (out []Word) {
	text = strings.NewReplacer("-", " ", "_", " ").Replace(strings.ToLower(text))
	text = strings.Join(strings.Fields(strings.Trim(text, ` .:;,"'()`)), " ")
	all, best := Words(), ""
	for _, w := range all {
		for _, name := range w.Names {
			rest, is := strings.CutPrefix(text, name)
			goesOn := is && rest != "s" && rest != "" && !strings.ContainsAny(rest[:1], " :,.;")
			if is && !goesOn && len(name) > len(best) {
				best = name
			}
		}
	}
	for _, w := range all {
		if best != "" && slices.Contains(w.Names, best) {
			out = append(out, w)
		}
	}
	return out
}

// Word lays out the meanings of a word, each with the page that has more; empty: no verb prints it.
func (t Terminal) Word(text string) string {
	var out []string
	for _, w := range WordsOf(text) {
		// A verb may have the name of the page.
		out = append(out, fmt.Sprintf("%sMore: \"%s\" in %s\n",
			t.Markdown(fmt.Sprintf("**%s** (%s): %s", strings.Join(w.Names, ", "), w.Where, w.Means)),
			w.Section, diag.Rocec("help", diag.Arg("PAGE", path.Base(w.Page.Name)+".md"))))
	}
	return strings.Join(out, "\n")
}

// Names yields the arguments of `rocec explain`: every code with its summary, and every word with the verb that prints it.
func Names() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, p := range Pages() {
			if p.Code != "" && !yield(p.Code, p.Summary) {
				return
			}
		}
		for _, w := range Words() {
			for _, name := range w.Names {
				if !yield(name, w.Where) {
					return
				}
			}
		}
	}
}

// Symptoms lists the codes by what an operator sees.
func (t Terminal) Symptoms() string {
	var b strings.Builder
	for _, s := range Symptoms() {
		fmt.Fprintf(&b, "%s\n  %s\n", diag.Paint(t.Color, diag.Bold, s.Seen), strings.Join(s.Codes, ", "))
	}
	b.WriteString("\nThe page of a code: rocec explain CODE\nWhat a word of the output means: rocec explain WORD\n" +
		"All codes: rocec explain --list\nHow to tell causes apart: rocec help troubleshooting\n")
	return b.String()
}
