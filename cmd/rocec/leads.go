package main

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
)

// fabricFolder returns the fabric's folder, for verbs with --target. If the argument is the name of a device, its error suggests
// --target.
func fabricFolder(a *app, cmd *cobra.Command, args []string) (string, error) {
	if len(args) != 1 {
		return a.Folder(args)
	}
	if _, err := os.Lstat(args[0]); !errors.Is(err, fs.ErrNotExist) {
		return a.Folder(args)
	}
	if names, _ := a.completeDevices(a.Here()); !slices.Contains(names, args[0]) {
		return a.Folder(args)
	}
	return "", exit.Fail(exit.Usage, "%s is not a folder, but the fabric has devices of that name: %s", args[0],
		diag.Rocec(cmd.Name(), append(givenWords(cmd.Flags()), deploy.OnDevice(args[0]))...))
}

// oneDash returns the flag that a person wrote with one dash, as for some other tools, or "". The parser has already accepted the letters
// before the unknown letter as short flags, such as v in -var.
func oneDash(set *pflag.FlagSet, unknown *pflag.NotExistError) string {
	rest, _, _ := strings.Cut(unknown.GetSpecifiedShortnames(), "=")
	found := ""
	set.VisitAll(func(f *pflag.Flag) {
		letters, ok := strings.CutSuffix(f.Name, rest)
		if ok && len(rest) > 1 && !f.Hidden && (letters == "" || len(letters) == 1 && set.ShorthandLookup(letters) != nil) {
			found = f.Name
		}
	})
	return found
}
