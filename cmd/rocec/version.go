package main

import (
	"fmt"
	"regexp"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/lang/diag"
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

func (a *app) versionCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "print which rocec this is",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := choice("format", format, "text", "json"); err != nil {
				return err
			}
			return a.printVersion(format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}

// printVersion is also what the flag --version of rocec itself does.
func (a *app) printVersion(format string) error {
	v := buildVersion()
	if format == "json" {
		return a.writeJSON(v)
	}
	_, err := fmt.Fprintf(a.stdout, "rocec %s (%s, %s)\n", v.Version, v.Go, v.Platform)
	return err
}

// writeJSON prints one document, indented, with < and > as they are.
func (a *app) writeJSON(v any) error {
	return diag.WriteJSON(a.stdout, v, true)
}
