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
		Short: "save how devices are set, as a snapshot; change nothing",
		Long: "Collect asks devices how they are set, or takes files that people keep of them, and saves the answers as one snapshot:\n" +
			"an archive, or a folder, that audit, init and validate --device-config read.\n" +
			"\n" +
			"SOURCE is a device as [user@]host[:port], an inventory of Ansible, a folder with a fabric, whose devices are asked, or a\n" +
			"file, a folder or an archive of device files. Devices are reached over SSH, as for plan: ~/.ssh/config counts, and host\n" +
			"keys are verified. The commands only read: --print-commands prints them as a script, for devices without a login.\n" +
			"\n" +
			"Of NVUE and CONFIG_DB the snapshot has the parts about QoS, ports, neighbours and routing alone. It has no users, keys and\n" +
			"passwords. With --mask it has no names, addresses, serial numbers and descriptions either; FILE.map lists the words.\n" +
			"\n" +
			"Collect asks no device that it has learnt of by itself. With --list it prints an inventory of those that neighbours name.\n" +
			"After three failed logins it asks no further device that was named by hand or by an inventory. A snapshot that is there is\n" +
			"continued: devices that have answered are not asked again.",
		Example: "  rocec collect leaf01 leaf02 spine1 -o site.tar.gz\n" +
			"  rocec collect inventory.yaml --mask -o site.tar.gz\n" +
			"  rocec collect --print-commands",
		Args: takes(0, 1000),
		RunE: func(cmd *cobra.Command, args []string) error {
			if print {
				if len(args) > 0 {
					return exit.Fail(exit.Usage, "--print-commands takes no SOURCE: it asks no device")
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
	f.StringVarP(&o.Out, "out", "o", "", "the `file` or folder to save to: an archive where it ends in .tar.gz or .tgz")
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
