package main

import (
	"fmt"
	"io"
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
		Use:   "explain [CODE]",
		Short: "explain a diagnostic: cause, example, fix",
		Long: "Explain prints the page of a code. Without a code it prints the codes by symptom. With --list it prints every code with its " +
			"summary, by the room that reports it; with --list FAMILY the codes of a family:\n\n" + familiesText(),
		Example: "  rocec explain   # codes by symptom\n" +
			"  rocec explain pfc-loop\n" +
			"  rocec explain --list buffers",
		Args: takes(0, 1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			if list {
				return familyNames(), cobra.ShellCompDirectiveNoFileComp
			}
			var codes []string
			for _, p := range docs.Pages() {
				if p.Code != "" {
					codes = append(codes, cobra.CompletionWithDesc(p.Code, p.Summary))
				}
			}
			return codes, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case !list && len(args) == 0:
				explainSymptoms(a.Person)
				return nil
			case !list:
				return explain(a.Person, args[0])
			case len(args) == 0:
				return explainList(a.Person)
			}
			return explainFamily(a.Person, args[0])
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "list every code with its summary, or those of a family")
	return cmd
}

func explain(p *person.Person, code string) error {
	pages, merged := report.PagesOf(strings.ReplaceAll(strings.ToLower(code), "_", "-"))
	if pages == nil {
		return exit.Fail(exit.Usage, "no code %q.%s rocec explain --list shows all", code, diag.DidYouMean(code, report.CodeNames()))
	}
	fmt.Fprint(p.Stdout, merged)
	for _, page := range pages {
		if err := printPage(p, page); err != nil {
			return err
		}
	}
	return nil
}

// printPage prints a page of the manual; what it says of a code beside the text comes last.
func printPage(p *person.Person, page *docs.Page) error {
	text := docs.Terminal{Width: p.Width(p.Stdout), Color: p.Paints(p.Stdout)}.Text(page)
	if page.Code != "" {
		text += fmt.Sprintf("\nReported as %s. Family %s: %s.\n", diag.Or(page.Severities), page.Family, docs.FamilyTitle(page.Family))
	}
	_, err := io.WriteString(p.Stdout, text)
	return err
}

// explainSymptoms prints the codes by what an operator sees.
func explainSymptoms(p *person.Person) {
	w := p.Fitted(p.Stdout)
	for _, s := range docs.Symptoms() {
		fmt.Fprintf(w, "%s\n  %s\n", diag.Paint(p.Paints(p.Stdout), diag.Bold, s.Seen), strings.Join(s.Codes, ", "))
	}
	fmt.Fprint(w, "\nThe page of a code: rocec explain CODE\nAll codes: rocec explain --list\n"+
		"How to tell causes apart: rocec help troubleshooting\n")
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
		return exit.Fail(exit.Usage, "no family %q.%s rocec explain --help lists them", name, diag.DidYouMean(name, familyNames()))
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

// familiesText is the families in columns.
func familiesText() string {
	var b strings.Builder
	for _, f := range docs.Families {
		fmt.Fprintf(&b, "  %-14s %s\n", f.Name, f.Title)
	}
	return strings.TrimRight(b.String(), "\n")
}
