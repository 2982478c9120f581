package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/rocecd/internal/pages"
)

// The limits of the store, without flags.
const (
	storeBytes = 10 << 30
	storeAge   = 90 * 24 * time.Hour
)

// serveOptions are the flags of serve.
type serveOptions struct {
	place
	mirror, folder string
	pages          string
	readers        pages.Options // without the address
	verifyEvery    time.Duration
	storeBytes     int64
	storeAge       time.Duration
	replicas       int
	parallel       int
	drain, undrain []string
}

func serveCommand(p *person.Person) *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve [flags]",
		Short: "run the hub, a site, or both",
		Long: "Serve runs the hub of a team and the worker of one site in one process. With --hub it is the worker of a site alone, whose hub " +
			"is elsewhere. Without --mirror it is the hub alone. With --nats it uses a NATS server that you have, and runs none.\n\n" +
			"The worker has the keys of the site's devices. It takes the fabric from a mirror of your git repository, checks each plan and each " +
			"signature itself, and changes the devices of its site. It works on while the hub is away.\n\n" +
			"SIGTERM begins no other wave. The changes under way are finished, and the next start goes on with the run. /healthz and /readyz " +
			"on the address of --pages show whether the process works.",
		Example: "  rocecd serve --mirror ~/fabric --lab\n" +
			"  rocecd serve --listen 0.0.0.0:4222\n" +
			"  rocecd serve --site dc1 --mirror https://git.example.net/fabric --hub tls://hub.example.net:4222 --creds dc1.creds --ca ca.crt",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(p); err != nil {
				return err
			}
			return serve(cmd.Context(), p, &o)
		},
	}
	o.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.mirror, "mirror", "", "the fabric's git repository: its `url`, or the folder of a clone on this machine")
	f.StringVar(&o.folder, "folder", ".", "the fabric's `folder` in the repository")
	f.DurationVar(&o.verifyEvery, "verify-every", 0, "verify the devices of the site at this interval, as a `duration` (default: never)")
	f.StringVar(&o.pages, "pages", "127.0.0.1:7480", "`address` of the pages; one of another machine's reach needs the next four flags")
	f.StringVar(&o.readers.ReaderCA, "reader-ca", "", "`file` with the certificates that sign those of persons who read the pages")
	f.StringVar(&o.readers.Roles, "roles", "", "`file` with the role of each certificate: lines such as operator alice, or reader wallboard")
	f.StringVar(&o.readers.Cert, "cert", "", "`file` with the certificate of the pages")
	f.StringVar(&o.readers.CertKey, "cert-key", "", "`file` with its key")
	f.Int64Var(&o.storeBytes, "store-bytes", storeBytes, "`bytes` that the hub stores; a full store refuses messages and loses none")
	f.DurationVar(&o.storeAge, "store-age", storeAge, "how long the hub stores a message, as a `duration`")
	f.IntVar(&o.replicas, "replicas", 1, "with --nats: copies of the store in a cluster")
	f.IntVar(&o.parallel, "parallel", session.DefaultParallel, "devices changed at the same time")
	f.StringArrayVar(&o.drain, "drain", nil, "a `program` that drains the devices of a wave before it begins, with their names in "+
		"$ROCEC_DEVICES; repeat the flag for each of its arguments")
	f.StringArrayVar(&o.undrain, "undrain", nil, "a `program` that puts traffic back after the wave; repeat the flag for each of its "+
		"arguments")
	lab := f.VarPF(&o.lab, "lab", "", "simulate every device of the site in the process, kept in a folder (auto: below the state)")
	lab.NoOptDefVal = session.LabKept
	return cmd
}

// check refuses flags that do not fit together.
func (o *serveOptions) check(p *person.Person) error {
	if err := o.place.check(p); err != nil {
		return err
	}
	o.readers.Address = o.pages
	if err := o.readers.Check(); err != nil {
		return exit.Fail(exit.Usage, "%v", err)
	}
	switch {
	case o.mirror == "" && o.hub != "":
		return exit.Fail(exit.Usage, "--hub needs --mirror: a site takes the fabric from its own mirror")
	case o.mirror == "" && o.site != "":
		return exit.Fail(exit.Usage, "--site needs --mirror: a site takes the fabric from its own mirror")
	case o.mirror == "" && o.lab != "":
		return exit.Fail(exit.Usage, "--lab simulates the devices of a site, and needs --mirror")
	case o.storeBytes < 1<<20 || o.storeAge < time.Hour || o.replicas < 1 || o.parallel < 1:
		return exit.Fail(exit.Usage, "--store-bytes is at least 1 MiB, --store-age an hour, --replicas and --parallel 1")
	case o.mirror == "" && o.verifyEvery != 0:
		return exit.Fail(exit.Usage, "--verify-every verifies the devices of a site, and needs --mirror")
	case o.verifyEvery < 0:
		return exit.Fail(exit.Usage, "--verify-every is above 0")
	}
	return nil
}
