package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/docs"
	"github.com/rocec/rocec/lang/diag"
)

func (a *app) explainCommand() *cobra.Command {
	var list bool
	cmd := &cobra.Command{
		Use:   "explain CODE",
		Short: "explain a diagnostic: cause, example, fix",
		Long: "Explain prints the page of a code. With --list it prints every code with its summary, by the room that reports it; " +
			"with --list FAMILY the codes of a family:\n\n" + familiesText() + "\n\n" +
			"rocec docs checks has an index by symptom.",
		Args: func(cmd *cobra.Command, args []string) error {
			if list {
				return takes(0, 1)(cmd, args)
			}
			return takes(1, 1)(cmd, args)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			if list {
				return familyNames(), cobra.ShellCompDirectiveNoFileComp
			}
			return codeNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case !list:
				return a.explain(args[0])
			case len(args) == 0:
				return a.explainList()
			}
			return a.explainFamily(args[0])
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "list every code with its summary, or those of a family")
	return cmd
}

func (a *app) explain(code string) error {
	p := docs.OfCode(strings.ReplaceAll(strings.ToLower(code), "_", "-"))
	if p == nil {
		return exit.Fail(exit.Usage, "no code %q.%s rocec explain --list shows all", code, diag.DidYouMean(code, codeNames()))
	}
	return a.printPage(p)
}

// printPage prints a page of the manual; what it says of a code beside the text comes last.
func (a *app) printPage(p *docs.Page) error {
	text := docs.Terminal{Width: a.width(a.stdout), Color: a.paints(a.stdout)}.Text(p)
	if p.Code != "" {
		text += fmt.Sprintf("\nReported as %s. Family %s: %s.\n", diag.Or(p.Severities), p.Family, docs.FamilyTitle(p.Family))
	}
	_, err := io.WriteString(a.stdout, text)
	return err
}

func (a *app) explainList() error {
	for i, r := range report.Rooms() {
		if i > 0 {
			fmt.Fprintln(a.stdout)
		}
		fmt.Fprintln(a.stdout, diag.Paint(a.paints(a.stdout), diag.Bold, r.Title))
		for _, t := range r.Topics {
			fmt.Fprintf(a.stdout, "  %-28s %s\n", t.Code, t.Summary)
		}
	}
	return nil
}

func (a *app) explainFamily(name string) error {
	title := docs.FamilyTitle(strings.ToLower(name))
	if title == "" {
		return exit.Fail(exit.Usage, "no family %q.%s rocec explain --help lists them", name, diag.DidYouMean(name, familyNames()))
	}
	fmt.Fprintln(a.stdout, diag.Paint(a.paints(a.stdout), diag.Bold, title))
	for _, p := range docs.Pages() {
		if p.Family == strings.ToLower(name) {
			fmt.Fprintf(a.stdout, "  %-28s %s\n", p.Code, p.Summary)
		}
	}
	return nil
}

// codeNames are all codes, by name.
func codeNames() (names []string) {
	for _, p := range docs.Pages() {
		if p.Code != "" {
			names = append(names, p.Code)
		}
	}
	return names
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
