package main

import (
	"github.com/spf13/cobra"
)

// onlyIntentFlag declares --only-intent.
func onlyIntentFlag(cmd *cobra.Command, only *bool) {
	cmd.Flags().BoolVar(only, "only-intent", false, "leave devices as they are that would change only because rocec has changed")
}

// tool is what runs note on devices: the version, and of a build that is not a release the commit.
func tool() string {
	v := buildVersion()
	if release(v.Version) == "" && v.Revision != "" {
		return v.Version + "+" + v.Revision
	}
	return v.Version
}
