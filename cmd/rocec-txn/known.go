package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/rocec/rocec/targets/commands"
	cumulus "github.com/rocec/rocec/targets/cumulus/steps"
	"github.com/rocec/rocec/targets/deploy/device/scripts"
	"github.com/rocec/rocec/targets/deploy/order"
	bnxt "github.com/rocec/rocec/targets/nic/bnxt/steps"
	ice "github.com/rocec/rocec/targets/nic/ice/steps"
	mlx4 "github.com/rocec/rocec/targets/nic/mlx4/steps"
	mlx5 "github.com/rocec/rocec/targets/nic/mlx5/steps"
	rxe "github.com/rocec/rocec/targets/nic/rxe/steps"
	nic "github.com/rocec/rocec/targets/nic/steps"
	nvue "github.com/rocec/rocec/targets/nvue/steps"
	sonic "github.com/rocec/rocec/targets/sonic/steps"
)

// system has what the gate knows of one: its commands by name, and the files that rocec writes.
type system struct {
	recall func(words []string, stdin []byte) (*commands.Made, error)
	file   func(path string, content []byte) error // nil content: the file goes
}

var systems = map[string]system{
	"cumulus": {cumulus.Recall, cumulus.File},
	"nvue":    {nvue.Recall, nvue.File},
	"sonic":   {sonic.Recall, sonic.File},
	"mlx4":    {nic.Recall(mlx4.Kit), mlx4.Kit.File}, "mlx5": {nic.Recall(mlx5.Kit), mlx5.Kit.File},
	"ice": {nic.Recall(ice.Kit), ice.Kit.File}, "bnxt": {nic.Recall(bnxt.Kit), bnxt.Kit.File}, "rxe": {nic.Recall(rxe.Kit), rxe.Kit.File},
}

// recall makes a step, a query or a checker from its name. stdin is the data of a step that gets data from outside.
func recall(name string, stdin []byte) (*commands.Made, error) {
	words := strings.Split(name, " ")
	if t, known := systems[words[0]]; known && len(name) <= commands.MostName {
		return t.recall(words[1:], stdin)
	}
	return nil, &commands.Unknown{Name: name}
}

func queryOf(name string) (*commands.Query, error) {
	made, err := recall(name, nil)
	if err != nil {
		return nil, err
	}
	if made.Query == nil {
		return nil, &commands.Unknown{Name: name}
	}
	return made.Query, nil
}

// writes returns the system whose files have a path. Every kit of NICs has the files of settings.
func writes(name string) (of system, known bool) {
	for _, one := range systems {
		if one.file(name, nil) == nil {
			return one, true
		}
	}
	return system{}, false
}

func knownPath(name string) bool { _, known := writes(name); return known }

// parts makes the texts of an order, and judges each file.
func (g *gate) parts(v *verified) (*order.Parts, error) {
	c := v.change
	p := &order.Parts{
		Script: scripts.Run(c.Run, c.Key), About: v.envelope.About, First: v.envelope.First, Later: v.envelope.Later,
		Content: func(sum string) []byte { return v.contents[sum] },
	}
	for _, f := range c.Files {
		check, err := g.file(v, &f)
		if err != nil {
			return nil, refuse("unsigned", "%s: %s", brief(f.Path), err)
		}
		p.Checks = append(p.Checks, check)
	}
	for _, l := range c.Lives {
		q, err := queryOf(l.Query)
		if err != nil {
			return nil, refuse("unsigned", "%s", err)
		}
		p.Lives = append(p.Lives, *q)
	}
	for _, s := range c.Steps {
		made, err := g.step(v, &s)
		if err != nil {
			return nil, refuse("unsigned", "%s", err)
		}
		p.Steps = append(p.Steps, *made)
	}
	return p, nil
}

// file judges a change of a file, and returns its checker. A program of root has the bytes of this release, or those that this device kept
// from before a run.
func (g *gate) file(v *verified, f *order.FileChange) (check string, err error) {
	of, known := writes(f.Path)
	if !known {
		return "", errors.New("rocec writes no such file")
	}
	if f.Replaces && f.Target != commands.Absent {
		content, sent := v.contents[f.Target]
		if !sent {
			return "", errors.New("the order does not have its content")
		}
		if err := of.file(f.Path, content); err != nil && !g.hasKept(f.Target) {
			return "", err
		}
	}
	if f.Check == "" {
		return "", nil
	}
	made, err := recall(f.Check, nil)
	if err != nil {
		return "", err
	}
	if made.Check == "" {
		return "", &commands.Unknown{Name: f.Check}
	}
	return made.Check, nil
}

// hasKept reports whether a backup on this device has a content with a SHA-256.
func (g *gate) hasKept(sum string) bool {
	names, _ := filepath.Glob(filepath.Join(g.state, "backup", "*", "[0-9]*")) //nolint:errcheck // the pattern is valid
	for _, name := range names {
		data, err := g.trusted(name)
		if err == nil && commands.Sum(data) == sum {
			return true
		}
	}
	return false
}

// step makes a step from its name, or the step that goes back from it.
func (g *gate) step(v *verified, s *order.NamedStep) (*commands.Step, error) {
	stdin, sent := v.contents[s.Stdin]
	if s.Stdin != "" && !sent {
		return nil, errors.New("the order does not have the data of a step")
	}
	of := func(name string) (*commands.Made, error) { return recall(name, stdin) }
	kept := func(sum string) ([]byte, error) {
		if content, sent := v.contents[sum]; sent {
			return content, nil
		}
		return nil, fmt.Errorf("the order does not have the content with the SHA-256 %s", brief(sum))
	}
	made, err := of(s.Name)
	if scripts.GoesBack(s.Name) {
		made, err = scripts.Recall(s.Name, of, kept)
	}
	if err == nil && (made.Step == nil || made.Step.Name != s.Name) {
		err = &commands.Unknown{Name: s.Name}
	}
	if err != nil {
		return nil, err
	}
	return made.Step, nil
}
