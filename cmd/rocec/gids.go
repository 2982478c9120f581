package main

import (
	"context"
	"fmt"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/nic"
	"github.com/rocec/rocec/targets/target"
)

// gidsOptions are the flags of verify --gids.
type gidsOptions struct {
	session.ReadOptions
	format string
	lab    session.LabFlag
	only   []string
}

// gids prints the GID tables of hosts.
func (a *app) gids(ctx context.Context, dir string, o gidsOptions) (err error) {
	f, devices, err := a.Open(dir, o.only, o.lab)
	if err != nil {
		return err
	}
	defer devices.Close(&err)
	ask := &target.Tree{}
	var answers []*nic.GIDTable // by device; nil: it did not answer
	for _, d := range devices.Tree.Devices {
		if d.Role != target.Host {
			continue
		}
		at := len(answers)
		answers = append(answers, nil)
		asked := *d
		asked.Files = nil
		asked.Probes = []target.Probe{{Name: "GIDs", Query: nic.GIDQuery(d.Source.Host.NICs), Judge: func(answer []byte) []string {
			answers[at] = nic.ReadGIDs(answer)
			return nil
		}}}
		ask.Devices = append(ask.Devices, &asked)
	}
	if len(ask.Devices) == 0 {
		return exit.Fail(exit.Usage, "there is no host among these devices, and switches have no GIDs")
	}
	read, end := a.Reading()
	o.Limit(&read)
	read.Probes = rollout.Every
	have := rollout.Observe(ctx, devices.Dial, ask, read)
	end()
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted")
	}
	seen := &view.GIDsRead{
		Plan: deploy.Diff(ask, have), Have: have.Devices, Tables: answers, When: time.Now(), Kept: session.RecallGIDs(devices, dir),
	}
	doc, keep := view.GIDsJSON(f.Fabric, seen)
	session.KeepGIDs(devices, dir, f.Fabric, keep, seen.Kept)
	if o.format == "json" {
		if err := a.WriteJSON(doc); err != nil {
			return err
		}
	} else {
		a.Screen().GIDs(doc)
		if text := deploy.ByHand(f.Fabric); text != "" {
			fmt.Fprintf(a.Stdout, "%s.\n", text)
		}
	}
	switch {
	case doc.Unread():
		return exit.With(exit.Machines)
	case !doc.Good:
		return exit.With(exit.Errors)
	}
	return nil
}
