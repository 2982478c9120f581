package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/docs"
	"github.com/rocec/rocec/lang/diag"
)

func explainCommand(a *app) *cobra.Command {
	var list bool
	cmd := &cobra.Command{
		Use:   "explain [CODE | WORD]",
		Short: "explain a diagnostic, or a word of the output",
		Long: "Explain prints the page of a code: cause, example, fix. For a word that a verb prints, such as unsound or pending, it prints " +
			"the meaning, and names the page with more. Without an argument it prints the codes by symptom. With --list it prints every code " +
			"with its summary, by the package that reports it; --list FAMILY prints the codes of a family:\n\n" + familiesText(),
		Example: "  rocec explain   # codes by symptom\n" +
			"  rocec explain pfc-loop\n" +
			"  rocec explain unsound\n" +
			"  rocec explain --list buffers",
		Args: cobra.ArbitraryArgs, // a term may have several words
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			if list {
				return familyNames(), cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for name, about := range docs.Names() {
				names = append(names, cobra.CompletionWithDesc(name, about))
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case !list && len(args) == 0:
				_, err := io.WriteString(a.Fitted(a.Stdout), layout(a.Person).Symptoms())
				return err
			case !list:
				return explain(a.Person, strings.Join(args, " "))
			case len(args) == 0:
				return explainList(a.Person)
			}
			return explainFamily(a.Person, strings.Join(args, " "))
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "list every code with its summary, or those of a family")
	return cmd
}

func explain(p *person.Person, name string) error {
	pages, merged := report.PagesOf(strings.ReplaceAll(strings.ToLower(name), "_", "-"))
	if pages == nil {
		if text := layout(p).Word(name); text != "" {
			_, err := io.WriteString(p.Stdout, text)
			return err
		}
		return exit.Fail(exit.Usage, "there is no code or word %q.%s The codes: rocec explain --list. The words: rocec help words", name,
			diag.DidYouMean(name, append(slices.Collect(maps.Keys(maps.Collect(docs.Names()))), report.CodeNames()...)))
	}
	fmt.Fprint(p.Stdout, merged)
	var err error
	for _, page := range pages {
		err = cmp.Or(err, printPage(p, page))
	}
	return err
}

func layout(p *person.Person) docs.Terminal {
	return docs.Terminal{Width: p.Width(p.Stdout), Color: p.Paints(p.Stdout)}
}

// printPage prints a page of the manual, and for a code its severities and family last.
func printPage(p *person.Person, page *docs.Page) error {
	text := layout(p).Text(page)
	if page.Code != "" {
		text += fmt.Sprintf("\nReported as %s. Family %s: %s.\n", diag.Or(page.Severities), page.Family, docs.FamilyTitle(page.Family))
	}
	_, err := io.WriteString(p.Stdout, text)
	return err
}

func explainList(p *person.Person) error {
	for i, r := range report.Rooms() {
		if i > 0 {
			fmt.Fprintln(p.Stdout)
		}
		fmt.Fprintln(p.Stdout, diag.Paint(p.Paints(p.Stdout), diag.Bold, r.Title))
		for _, t := range r.Topics {
			fmt.Fprintf(p.Stdout, "  %-28s %s\n", t.Code, t.Summary)
		}
	}
	fmt.Fprint(p.Stdout, "\n", diag.Paint(p.Paints(p.Stdout), diag.Bold, report.MergedTitle), "\n", report.MergedText())
	return nil
}

func explainFamily(p *person.Person, name string) error {
	title := docs.FamilyTitle(strings.ToLower(name))
	if title == "" {
		return exit.Fail(exit.Usage, "there is no family %q.%s The families: rocec explain --help", name, diag.DidYouMean(name, familyNames()))
	}
	fmt.Fprintln(p.Stdout, diag.Paint(p.Paints(p.Stdout), diag.Bold, title))
	for _, page := range docs.Pages() {
		if page.Family == strings.ToLower(name) {
			fmt.Fprintf(p.Stdout, "  %-28s %s\n", page.Code, page.Summary)
		}
	}
	return nil
}

func familyNames() (names []string) {
	for _, f := range docs.Families {
		names = append(names, f.Name)
	}
	return names
}

// familiesText returns the families, set in columns.
func familiesText() string {
	var b strings.Builder
	for _, f := range docs.Families {
		fmt.Fprintf(&b, "  %-14s %s\n", f.Name, f.Title)
	}
	return strings.TrimRight(b.String(), "\n")
}
