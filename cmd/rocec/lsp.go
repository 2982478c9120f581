package main

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/lsp"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/view/facts"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/docs"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/outline"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/judge"
)

func lspCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lsp",
		Short: "serve an editor: the Language Server Protocol on stdin and stdout",
		Long: "Lsp shows the findings of validate in an editor, also for unsaved text. It offers completion, the meaning, declaration and\n" +
			"uses of a name, formatting, and fixes of findings. Values of variables come from --var, --var-file and the environment, as for\n" +
			"every verb.",
		Example: "  rocec lsp",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.lsp(cmd.Context()) },
	}
	cmd.Flags().Bool("stdio", true, "use stdin and stdout; this is the only transport")
	return cmd
}

func (a *app) lsp(ctx context.Context) error {
	for _, name := range a.VarFiles { // files may be deleted later, but a wrong name is reported now
		if _, err := globals.ReadBounded(name); err != nil {
			return exit.Fail(exit.Usage, "--var-file: %v", err)
		}
	}
	if _, ok := person.Terminal(a.Stdin); ok && !a.Quiet {
		fmt.Fprintln(a.Stderr, "rocec: waiting for an editor on stdin; editors start this verb by themselves")
	}
	s := lsp.New(&editor{a: a}, lsp.Options{
		Version: a.Rocec.Version,
		Wait:    time.After,
		Help:    report.HelpURI,
		About:   aboutCode,
		Ignore: func(d *diag.Diagnostic) bool {
			kind := judge.Ignorable(d.Code)
			return kind == lang.Always || kind == lang.UnlessError && d.Severity != diag.Error
		},
	})
	clean, err := s.Run(ctx, a.Stdin, a.Stdout)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return exit.Fail(exit.Errors, "the editor's stream: %v", err)
	case !clean:
		return exit.With(exit.Errors)
	}
	return nil
}

// aboutCode returns the hover text of a code: its summary, the first paragraph of its page, and a link to the page.
func aboutCode(code string) string {
	p := docs.OfCode(code)
	if p == nil {
		return ""
	}
	return fmt.Sprintf("**%s**: %s\n\n%s\n\n[Example and fix](%s)", p.Code, p.Summary, p.First(), p.Web())
}

// editor implements the backend of the language server.
type editor struct {
	a    *app
	kept map[string]*lang.Kept // by folder of a fabric
}

// List returns the fabric files of a folder.
func (e *editor) List(dir string) []string {
	f, err := os.Open(filepath.FromSlash(dir))
	if err != nil {
		return nil
	}
	defer f.Close()
	var out []string
	const most = 4096 // limit of entries read
	entries, _ := f.ReadDir(most)
	for _, entry := range entries {
		name := entry.Name()
		if path.Ext(name) == ".hcl" && name[0] != '.' && entry.Type().IsRegular() {
			out = append(out, path.Join(dir, name))
		}
	}
	return out
}

// Inside reports whether files of one folder may name another one as a module.
func (e *editor) Inside(dir, module string) bool {
	if strings.HasPrefix(module, strings.TrimSuffix(dir, "/")+"/") {
		return true
	}
	in, err := e.a.InsideOf(filepath.FromSlash(dir))
	if err != nil {
		return false
	}
	_, _, err = in.Find(filepath.FromSlash(module))
	return err == nil
}

// Read returns the bytes of a file of a fabric: at most 1 MiB.
func (e *editor) Read(name string) ([]byte, error) {
	return globals.ReadBounded(filepath.FromSlash(name))
}

// Known returns the names in the tables.
func (e *editor) Known() outline.Known {
	return outline.Known{
		SwitchModels: platform.SwitchNames(), NICModels: targets.Known.NICNames(), ASICs: platform.ASICNames(),
		Families: targets.Known.DriverNames(), Systems: targets.Known.OSNames(), Configs: targets.Known.ConfigNames(), Ports: portsOf,
	}
}

// portsOf returns the names of the unsplit ports of a switch: the ports of a model in the tables, or count ports.
func portsOf(system, model string, count int) []string {
	os := targets.Known.DefaultOS()
	if system != "" {
		os = targets.Known.FindOS(system)
	}
	m := &platform.Switch{Ports: []platform.PortRange{{First: 1, Last: count}}}
	if count == 0 {
		var ok bool
		if m, ok = platform.FindSwitch(model); !ok {
			m, _ = platform.FindOrder(model)
		}
	}
	if os == nil || m == nil {
		return nil
	}
	return os.Ports(m)
}

// keptOf returns the results that the last run kept for the files of a fabric. It keeps few fabrics, as an editor opens few at a time.
func (e *editor) keptOf(dir string) *lang.Kept {
	const most = 8
	if e.kept[dir] == nil {
		if len(e.kept) == 0 || len(e.kept) >= most {
			e.kept = map[string]*lang.Kept{}
		}
		e.kept[dir] = &lang.Kept{}
	}
	return e.kept[dir]
}

// Check runs the pipeline on the texts of the editor.
func (e *editor) Check(ctx context.Context, dir string, unsaved map[string][]byte) (*lsp.Result, error) {
	if unsaved == nil {
		unsaved = map[string][]byte{}
	}
	f, err := e.a.LoadOver(ctx, filepath.FromSlash(dir), unsaved, e.keptOf(dir))
	if err != nil {
		return nil, err
	}
	r := &lsp.Result{Diagnostics: f.Diags, Files: f.Source.Files}
	if f.Fabric != nil {
		r.Describe = func(t outline.Thing) string { return facts.Hover(f, dir, t) }
		r.Define = func(t outline.Thing) []diag.Range { return facts.DeclaredAt(f, t) }
	}
	return r, nil
}
