package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/picture"
	"github.com/rocec/rocec/cmd/internal/wholefile"
	"github.com/rocec/rocec/lang/diag"
)

func graphCommand(a *app) *cobra.Command {
	var out, format string
	var names []string
	for _, f := range picture.Formats {
		names = append(names, f.Name)
	}
	cmd := &cobra.Command{
		Use:   "graph [DIR]",
		Short: "draw the topology, with a PFC loop in it",
		Long: "Graph draws the fabric by tiers. Devices with the same position are folded until the picture fits a page. If lossless links\n" +
			"can pause each other in a circle, that circle is red, and its buffers are numbered in the order of waiting.\n" +
			"\n" +
			"svg is for documents. html is a single file, needs no network, and has search, zoom, every loop, and the settings of every link\n" +
			"with their places. dot is for graphviz, ptm is the topology.dot of Cumulus Linux, json is for tools.\n" +
			"\n" +
			"A fabric with errors is drawn (exit 1) unless it cannot be compiled.",
		Example: "  rocec graph -o fabric.html               # explore it in a browser\n" +
			"  rocec graph --format dot -o fabric.dot   # let graphviz lay it out",
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("format") {
				if format = formatOf(out); format == "" {
					return exit.Fail(exit.Usage, "the ending of %s names no format; use one of %s, or --format", diag.Escape(out),
						strings.Join(names, ", "))
				}
			} else if err := exit.Choice("format", format, names...); err != nil {
				return err
			}
			dir, err := a.Folder(args)
			if err != nil {
				return err
			}
			return a.graph(dir, out, format)
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "`file` to write to; its ending chooses the format; - is stdout")
	cmd.Flags().StringVar(&format, "format", "", "svg, html, dot, ptm or json (default: by the ending of the file; svg without an ending)")
	offer(cmd, "format", names...)
	return cmd
}

// formatOf returns the format for the ending of a file name: the first of the table for a name without an ending, "" for an unknown
// ending.
func formatOf(name string) string {
	ext := filepath.Ext(name)
	for _, f := range picture.Formats {
		if strings.EqualFold(ext, f.Ext) {
			return f.Name
		}
	}
	if ext != "" {
		return ""
	}
	return picture.Formats[0].Name
}

func (a *app) graph(dir, out, format string) error {
	f, err := a.Load(dir)
	if err != nil {
		return err
	}
	if f.Fabric == nil {
		a.PrintDiagnostics(a.Stderr, f)
		return exit.With(exit.Errors)
	}
	var data []byte
	for _, p := range picture.Formats {
		if p.Name == format {
			data = p.Write(f.Fabric, f.Proofs)
		}
	}
	if err := a.writePicture(out, data); err != nil {
		return exit.Fail(exit.Machines, "the picture could not be written: %v", err)
	}
	if f.Diags.HasErrors() { // the picture is useful despite errors; report their number
		return exit.Fail(exit.Errors, "the fabric has %s; rocec validate shows them", diag.Count(f.Diags.Count(diag.Error), "error"))
	}
	return nil
}

// writePicture writes a picture to stdout, or to a file, completely or not at all.
func (a *app) writePicture(out string, data []byte) error {
	if out == "" || out == "-" {
		_, err := a.Stdout.Write(data)
		return err
	}
	if err := wholefile.Replace(out, data, 0o644); err != nil {
		return err
	}
	if !a.Quiet {
		fmt.Fprintf(a.Stdout, "%s: %d bytes written\n", diag.Escape(out), len(data))
	}
	return nil
}
