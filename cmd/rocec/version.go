package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/cmd/internal/versions"
)

// version is set by the build of a source archive, which has no commits (-ldflags "-X main.version=1.2.3").
var version = ""

type versionInfo struct {
	FormatVersion string `json:"format_version"`
	Version       string `json:"version"`
	Revision      string `json:"revision,omitempty"`
	Go            string `json:"go"`
	Platform      string `json:"platform"`
}

func buildVersion() versionInfo {
	v := versionInfo{
		FormatVersion: report.FormatVersion, Version: version, Go: runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if v.Version == "" {
		v.Version = versions.Of(info.Main.Version)
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v.Revision = s.Value
		}
	}
	return v
}

// buildOf returns the facts about a build that other packages need.
func buildOf(v versionInfo) globals.Build {
	return globals.Build{Version: v.Version, Release: versions.Release(v.Version), Tool: v.Version}
}

func versionCommand(a *app) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "print the version and build of rocec",
		Example: "  rocec version --format json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := exit.Choice("format", format, "text", "json"); err != nil {
				return err
			}
			return printVersion(a.Person, format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

// printVersion prints the version, also for the flag --version.
func printVersion(p *person.Person, format string) error {
	v := buildVersion()
	if format == "json" {
		return p.WriteJSON(v)
	}
	_, err := fmt.Fprintf(p.Stdout, "rocec %s (%s, %s)\n", v.Version, v.Go, v.Platform)
	return err
}
