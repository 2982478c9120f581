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

	"github.com/rocec/rocec/lang"
	"github.com/rocec/rocec/lang/diag"
)

func (a *app) fmtCommand() *cobra.Command {
	var check, diff bool
	cmd := &cobra.Command{
		Use:   "fmt [PATH...]",
		Short: "bring fabric files into canonical form",
		Long: "Fmt rewrites the *.hcl files named, or directly in the folders named (default: the current one), into canonical\n" +
			"form and prints the names of those it changed. With - it formats stdin to stdout.",
		RunE: func(_ *cobra.Command, args []string) error { return a.fmt(args, check, diff) },
	}
	cmd.Flags().BoolVar(&check, "check", false, "change nothing; exit 1 if a file is not in canonical form")
	cmd.Flags().BoolVar(&diff, "diff", false, "print what would change; change nothing")
	return cmd
}

func (a *app) fmt(paths []string, check, diff bool) error {
	if slices.Equal(paths, []string{"-"}) {
		src, err := io.ReadAll(io.LimitReader(a.stdin, 1<<20+1))
		if err != nil {
			return fail(exitErrors, "stdin: %v", err)
		}
		out, err := a.format("<stdin>", src)
		if err != nil {
			return err
		}
		if check {
			if !bytes.Equal(src, out) {
				return &exit{exitErrors, ""}
			}
			return nil
		}
		_, err = a.stdout.Write(out)
		return err
	}
	files, err := hclFiles(paths)
	if err != nil {
		return fail(exitErrors, "%v", err)
	}
	changed, broken := false, false
	for _, name := range files {
		src, err := readBounded(name)
		if err != nil {
			return fail(exitErrors, "%v", err)
		}
		out, err := a.format(name, src)
		if err != nil {
			broken = true
			continue
		}
		if bytes.Equal(src, out) {
			continue
		}
		changed = true
		if diff {
			fmt.Fprint(a.stdout, udiff.Unified(name, name, string(src), string(out)))
			continue
		}
		fmt.Fprintln(a.stdout, diag.Escape(name))
		if !check {
			if err := replaceFile(name, out, 0o644); err != nil {
				return fail(exitErrors, "%v", err)
			}
		}
	}
	if broken || check && changed {
		return &exit{exitErrors, ""}
	}
	return nil
}

// format formats one file; mistakes in it are printed and end in an error.
func (a *app) format(name string, src []byte) ([]byte, error) {
	out, ds := lang.Format(name, src)
	if ds.HasErrors() {
		p := &diag.Printer{Files: map[string][]byte{name: src}, Color: a.paints(a.stderr), Width: a.width(a.stderr)}
		p.Print(a.stderr, ds) //nolint:errcheck // a closed terminal has nobody to tell
		return nil, &exit{exitErrors, ""}
	}
	return out, nil
}

// hclFiles lists the files fmt works on, in order of the arguments, each folder's sorted.
func hclFiles(paths []string) ([]string, error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	var out []string
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			out = append(out, p)
			continue
		}
		entries, err := os.ReadDir(p)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".hcl") {
				out = append(out, filepath.Join(p, e.Name()))
			}
		}
	}
	return out, nil
}

// replaceFile writes a file beside name, syncs it and renames it over name: a crash leaves the old bytes or the new
// ones. A file that was there keeps its mode.
func replaceFile(name string, data []byte, mode fs.FileMode) error {
	if info, err := os.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), ".rocec-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) //nolint:errcheck // gone after the rename
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(mode)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), name)
}
