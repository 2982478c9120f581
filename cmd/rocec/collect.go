package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/collect"
	"github.com/rocec/rocec/cmd/internal/exit"
)

func collectCommand(a *app) *cobra.Command {
	o, print := collect.Options{Now: time.Now}, false
	o.Timeout = collect.DeviceTime
	cmd := &cobra.Command{
		Use:   "collect SOURCE...",
		Short: "save the settings of devices as a snapshot; change nothing",
		Long: "Collect reads the settings of devices, or files with these settings, and saves them as one snapshot: an archive or a folder\n" +
			"that audit, init and validate --device-config can read.\n" +
			"\n" +
			"SOURCE is a device as [user@]host[:port], an inventory of Ansible, a folder with a fabric (collect asks its devices), or a file, a\n" +
			"folder or an archive of device files. Devices are reached over SSH, as for plan: ~/.ssh/config is used, and host keys are\n" +
			"verified. The commands only read. --print-commands prints them as a script, for devices without a login.\n" +
			"\n" +
			"From NVUE and CONFIG_DB the snapshot contains only QoS, ports, neighbours and routing. It contains no users, keys or passwords.\n" +
			"With --mask it also contains no names, addresses, serial numbers or descriptions; FILE.map lists their replacements.\n" +
			"\n" +
			"Collect does not ask devices that only neighbours name. With --list it prints an inventory with those devices. After three failed\n" +
			"logins it asks no further device that was named by hand or by an inventory. It continues an existing snapshot: devices that have\n" +
			"answered are not asked again.",
		Example: "  rocec collect leaf01 leaf02 spine1 -o site.tar.gz\n" +
			"  rocec collect inventory.yaml --mask -o site.tar.gz\n" +
			"  rocec collect --print-commands",
		Args: takes(0, 1000),
		RunE: func(cmd *cobra.Command, args []string) error {
			if print {
				if len(args) > 0 {
					return exit.Fail(exit.Usage, "--print-commands asks no device: leave out SOURCE")
				}
				fmt.Fprint(a.Stdout, collect.Script())
				return nil
			}
			if err := errors.Join(takes(1, 1000)(cmd, args), o.Check()); err != nil {
				return err
			}
			return collect.Run(cmd.Context(), a.Session, args, o)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&o.Out, "out", "o", "", "the `file` or folder to save to: an archive if the name ends in .tar.gz or .tgz")
	f.BoolVar(&o.Mask, "mask", false, "replace names, addresses, serial numbers and descriptions by words")
	f.BoolVar(&o.List, "list", false, "print an inventory of the devices, and of those that their neighbours name")
	f.BoolVar(&o.Dry, "dry-run", false, "print the devices that would be asked, and ask none")
	f.BoolVar(&print, "print-commands", false, "print the commands as a script to run on devices, and ask no device")
	labFlags(cmd, &o.Lab)
	readFlags(cmd, &o.ReadOptions)
	sudoFlag(a, cmd)
	targetFlag(a, cmd, &o.Only)
	return cmd
}
