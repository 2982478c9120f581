package main

import (
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/report"
)

// version is set by the release build (-ldflags "-X main.version=1.2.3"); otherwise the module's own is used.
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
		v.Version = info.Main.Version
	}
	if v.Version == "" {
		v.Version = "(devel)"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v.Revision = s.Value
		}
	}
	return v
}

// release is the version of a release; empty: this build is none, but one between two commits, or of changed files.
func release(version string) string {
	if betweenReleases().MatchString(version) {
		return ""
	}
	return version
}

// betweenReleases are the versions that the go command gives such builds: "(devel)",
// "v0.13.1-0.20260102150405-0123456789ab", "v0.13.0+dirty".
var betweenReleases = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\(devel\)$|[-.]\d{14}-[0-9a-f]{12}|\+dirty`)
})

// buildOf returns what the rest of rocec needs to know of a build: of one that is not a release, runs note the commit, too.
func buildOf(v versionInfo) globals.Build {
	b := globals.Build{Version: v.Version, Release: release(v.Version), Tool: v.Version}
	if b.Release == "" && v.Revision != "" {
		b.Tool = v.Version + "+" + v.Revision
	}
	return b
}

func versionCommand(a *app) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "print which rocec this is",
		Args:  cobra.NoArgs,
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

// printVersion is also what the flag --version of rocec itself does.
func printVersion(p *person.Person, format string) error {
	v := buildVersion()
	if format == "json" {
		return p.WriteJSON(v)
	}
	_, err := fmt.Fprintf(p.Stdout, "rocec %s (%s, %s)\n", v.Version, v.Go, v.Platform)
	return err
}
