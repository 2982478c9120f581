package main

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/rocecd/internal/keys"
	"github.com/rocec/rocec/cmd/rocecd/internal/site"
	"github.com/rocec/rocec/lang/diag"
)

// rebuildOptions are the flags of rebuild.
type rebuildOptions struct {
	place
	after uint64
}

func rebuildCommand(p *person.Person) *cobra.Command {
	var o rebuildOptions
	cmd := &cobra.Command{
		Use:   "rebuild [flags]",
		Short: "give a hub again what the sites have kept",
		Long: "Rebuild is for a hub that has lost its store, or has a copy of an older one. Sites use no message of such a store, and say " +
			"so. First run rebuild --after NUMBER on the hub, with the largest number that a site states. The numbers of messages go on above " +
			"it, and the messages of the older store are dropped. Then run rebuild on each site. It publishes the messages of persons, the " +
			"statements of the site and the lines of its journals again. rocecd serve runs on meanwhile, and begins to use the store by " +
			"itself. Rebuild changes no device and no record of a site.",
		Example: "  rocecd rebuild --after 4711\n" +
			"  rocecd rebuild --site dc1 --hub tls://hub.example.net:4222 --creds dc1.creds --ca ca.crt --key site-dc1.key",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(p); err != nil {
				return err
			}
			return machine(rebuild(cmd.Context(), p, &o, cmd.Flags().Changed("after")))
		},
	}
	o.flags(cmd)
	cmd.Flags().Uint64Var(&o.after, "after", 0, "on the hub: the `number` above which the numbers of messages go on")
	return cmd
}

// rebuild makes the numbers of the hub go on, if this is the hub, and publishes the records of the site, if this is a site.
func rebuild(ctx context.Context, p *person.Person, o *rebuildOptions, given bool) (err error) {
	if given && o.hub != "" {
		return exit.Fail(exit.Usage, "--after is for the hub: leave out --hub there")
	}
	l := &uplink{o: &o.place, files: map[string]keys.Role{}}
	if o.embeds() {
		if _, err := os.Stat(ringDir(o.state)); errors.Is(err, fs.ErrNotExist) {
			return exit.Fail(exit.Usage, "%s has no keys of a hub: name the hub of this site with --hub", o.state)
		}
		if l.ring, err = openRing(o.state); err != nil {
			return err
		}
	}
	kept, err := archiveOf(o)
	if err != nil {
		return err
	}
	if given || kept != nil && o.embeds() {
		if err := advance(ctx, p, o, l, kept, given); err != nil {
			return err
		}
	}
	if kept == nil {
		return nil
	}
	if o.site == "" {
		return exit.Fail(exit.Usage, "--site names the site whose records are in %s", o.state)
	}
	w, err := o.worker(p, slog.New(slog.DiscardHandler), l)
	if err != nil {
		return err
	}
	b, err := w.Connect()
	if err != nil {
		return err
	}
	defer b.Close()
	said, err := kept.Publish(ctx, w, b)
	printLines(p, "The hub got "+diag.Count(said.Records, "message")+" of persons, "+diag.Count(said.Statements, "statement")+" and "+
		diag.Count(said.Lines, "line")+" of journals of the site "+o.site+".")
	return err
}

// archiveOf returns what the site in the state has kept; nil: there is no site in it.
func archiveOf(o *rebuildOptions) (*site.Archive, error) {
	alone := o.embeds() || o.nats != "" && o.site == "" // it may be a hub without a site
	if _, err := os.Stat(filepath.Join(o.state, "team")); errors.Is(err, fs.ErrNotExist) && alone {
		if o.after == 0 {
			return nil, exit.Fail(exit.Usage, "%s has no records of a site: on a hub alone, --after states the largest number that a site "+
				"names", o.state)
		}
		return nil, nil
	}
	return site.ReadArchive(o.state)
}

// advance makes the numbers of the hub go on above those that its sites have seen.
func advance(ctx context.Context, p *person.Person, o *rebuildOptions, l *uplink, kept *site.Archive, given bool) error {
	b, err := l.open("hub", keys.Hub)
	if err != nil {
		return err
	}
	defer b.Close()
	last, err := b.Last(ctx)
	if err != nil {
		return err
	}
	above := o.after
	if !given {
		if above = kept.Last; last >= above {
			printLines(p, "The numbers of the hub are not older than those of this site, and stay.")
			return nil
		}
	}
	dropped, err := b.Advance(ctx, above)
	if err != nil {
		return err
	}
	printLines(p, "The numbers of the hub go on above "+diag.Number(above)+". It dropped "+diag.Count(int(dropped), "message")+
		" of the older store.")
	return nil
}
