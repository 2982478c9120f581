package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/wholefile"
	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
)

func fmtCommand(a *app) *cobra.Command {
	var o fmtOptions
	cmd := &cobra.Command{
		Use:   "fmt [PATH...]",
		Short: "bring fabric files into canonical form",
		Long: "Fmt rewrites the named files, and the *.hcl files directly in named folders (default: the current one), into canonical form.\n" +
			"It prints the names of changed files. Files of variables (*.hclvars) must be named one by one. With - it formats stdin to stdout.\n" +
			"A file with mistakes stays as it is, and the others are formatted. Fmt refuses a symbolic link to a file as an argument, and skips\n" +
			"it in a folder.",
		Example: "  rocec fmt\n" +
			"  rocec fmt -r --check",
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case a.Dir == "":
			case len(args) > 0:
				return exit.Fail(exit.Usage, "name files and folders, or use -C %s: not both", a.Dir)
			default:
				args = []string{a.Dir}
			}
			if !slices.Contains(args, "-") {
				return a.fmt(args, o)
			}
			if len(args) > 1 || o.recursive {
				return exit.Fail(exit.Usage, "- is stdin and must be the only argument: name files and folders, or -")
			}
			return a.fmtStdin(o)
		},
	}
	cmd.Flags().BoolVar(&o.check, "check", false,
		"change nothing; print the names of files that are not in canonical form, and exit 1 if there are any")
	cmd.Flags().BoolVar(&o.diff, "diff", false, "print what would change; change nothing")
	cmd.Flags().BoolVarP(&o.recursive, "recursive", "r", false, "also format files in subfolders, except hidden folders and links")
	return cmd
}

type fmtOptions struct{ check, diff, recursive bool }

// fmtStdin formats stdin to stdout.
func (a *app) fmtStdin(o fmtOptions) error {
	src, err := io.ReadAll(io.LimitReader(a.Stdin, 1<<20+1))
	if err != nil {
		return exit.Fail(exit.Machines, "stdin: %v", err)
	}
	const name = "<stdin>"
	out, ok := a.format(name, src)
	if !ok {
		return exit.With(exit.Errors)
	}
	if !o.check && !o.diff {
		_, err = a.Stdout.Write(out)
		return err
	}
	if a.differs(name, src, out, o) && o.check {
		return exit.With(exit.Errors)
	}
	return nil
}

// fmt formats files. If a path does not exist, it formats none. An error in one file does not stop the others.
func (a *app) fmt(args []string, o fmtOptions) error {
	files, err := hclFiles(args, o.recursive)
	if err != nil {
		return exit.Fail(exit.Errors, "%v", err)
	}
	code := exit.Good
	for _, name := range files {
		src, err := readRegular(name)
		if err != nil {
			a.fmtFailed(err)
			code = exit.Machines
			continue
		}
		out, ok := a.format(name, src)
		if !ok {
			code = max(code, exit.Errors)
			continue
		}
		if o.check || o.diff {
			if a.differs(name, src, out, o) && o.check {
				code = max(code, exit.Errors)
			}
			continue
		}
		if bytes.Equal(src, out) {
			continue
		}
		if err := rewrite(name, out); err != nil {
			a.fmtFailed(fmt.Errorf("%w; the file was not changed", err))
			code = exit.Machines
			continue
		}
		fmt.Fprintln(a.Stdout, diag.Escape(name))
	}
	if code != exit.Good {
		return exit.With(code)
	}
	return nil
}

// fmtFailed prints the error of a file that could not be read or written.
func (a *app) fmtFailed(err error) { fmt.Fprintf(a.Stderr, "rocec: %s\n", diag.Escape(err.Error())) }

// differs reports whether out is not src, and prints the name of the file or what would change.
func (a *app) differs(name string, src, out []byte, o fmtOptions) bool {
	switch {
	case bytes.Equal(src, out):
		return false
	case o.diff:
		text := udiff.Unified(name, name, string(src), string(out))
		if _, ok := person.Terminal(a.Stdout); ok || a.Getenv("CI") != "" { // otherwise a pipe gets a patch, unescaped
			text = diag.EscapeLines(text)
		}
		fmt.Fprint(a.Stdout, text)
	default:
		fmt.Fprintln(a.Stdout, diag.Escape(name))
	}
	return true
}

// format formats one file, or prints the mistakes in it.
func (a *app) format(name string, src []byte) ([]byte, bool) {
	out, ds := lang.Format(name, src)
	if ds.HasErrors() {
		p := &diag.Printer{Files: map[string][]byte{name: src}, Color: a.Paints(a.Stderr), Width: a.Width(a.Stderr)}
		p.Print(a.Stderr, ds) //nolint:errcheck // a closed terminal cannot show the error
		return nil, false
	}
	return out, true
}

// hclFiles lists each file to format once, in the order of the arguments; the files of a folder are sorted by name.
func hclFiles(args []string, recursive bool) ([]string, error) {
	if len(args) == 0 {
		args = []string{"."}
	}
	var out []string
	seen := map[string]bool{}
	add := func(name string) {
		if name = filepath.Clean(name); !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	for _, arg := range args {
		info, err := os.Stat(arg)
		switch {
		case err != nil:
			return nil, err
		case isLink(arg) && !info.IsDir():
			return nil, linkedFile(arg)
		case info.Mode().IsRegular():
			add(arg)
			continue
		case !info.IsDir():
			return nil, fmt.Errorf("%s is neither a file nor a folder", arg)
		}
		root := filepath.Clean(arg)
		walk := root
		if link, err := os.Lstat(root); err == nil && !link.IsDir() { // the walk itself follows no link
			walk = root + string(filepath.Separator)
		}
		err = filepath.WalkDir(walk, func(name string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			top := name == walk
			switch hidden := strings.HasPrefix(e.Name(), "."); {
			case top && e.IsDir():
			case e.IsDir() && (hidden || !recursive):
				return fs.SkipDir
			case e.Type().IsRegular() && !hidden && filepath.Ext(name) == ".hcl":
				add(name)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// isLink reports whether a name is a symbolic link.
func isLink(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

// linkedFile is the error for a link: its author, not the user, chose the file that fmt would print or write.
func linkedFile(name string) error {
	return fmt.Errorf("%s is a symbolic link to a file, and fmt does not follow it. Name the file that it leads to", name)
}

// readRegular reads a regular file of at most 1 MiB. It refuses a pipe, which could block, and follows no link.
func readRegular(name string) ([]byte, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return nil, linkedFile(name)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	return globals.ReadBounded(name)
}

// rewrite replaces the content of a file, and follows no link. It refuses a read-only file, even in a folder where the file could be
// replaced.
func rewrite(name string, data []byte) error {
	if isLink(name) {
		return linkedFile(name)
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	f.Close() //nolint:errcheck // nothing was written
	return wholefile.ReplaceLink(name, data, 0o644)
}
