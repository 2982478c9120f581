package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/revision"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/rocecd/internal/mirror"
	"github.com/rocec/rocec/lang/diag"
)

// cloneTime is how long git may take to make or update a mirror.
const cloneTime = 10 * time.Minute

// openMirror returns the folder of a git repository: the one that is named, or a mirror of its address below the state. If the origin is
// away, a present mirror is used as it is.
func openMirror(ctx context.Context, log *slog.Logger, state, named string) (dir string, err error) {
	if info, err := os.Stat(named); err == nil && info.IsDir() {
		return filepath.Abs(named)
	}
	if !strings.Contains(named, ":") {
		return "", exit.Fail(exit.Usage, "--mirror %s is neither a folder nor the address of a git repository", named)
	}
	dir = filepath.Join(state, "mirror", statement.Sum([]byte(named))[:16])
	if _, err := revision.Resolve(ctx, dir, "HEAD"); err == nil {
		if err := mirror.Fetch(ctx, dir); err != nil {
			log.Warn("the mirror of the fabric is not brought up to date", "error", err)
		}
		return dir, nil
	}
	if err := os.RemoveAll(dir); err != nil { // a clone that was cut off
		return "", machine(err)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return "", machine(err)
	}
	ctx, cancel := context.WithTimeout(ctx, cloneTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", "clone", "--quiet", "--mirror", "--", named, dir)
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	if out, err := cmd.CombinedOutput(); err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return "", exit.Fail(exit.Machines, "the mirror of the fabric cannot be made: git clone: %s: %s", err, first)
	}
	return dir, nil
}

// fabricOf returns the name of the fabric in a mirror, and its sites.
func fabricOf(ctx context.Context, g *globals.Globals, git, folder string) (name string, sites []string, err error) {
	commit, err := revision.Resolve(ctx, git, "HEAD")
	if err != nil {
		return "", nil, machine(err)
	}
	r, err := revision.Open(ctx, git, commit, commit)
	if err != nil {
		return "", nil, machine(err)
	}
	defer r.Close()
	f, err := globals.LoadIn(ctx, g, r.FS(), folder)
	if err != nil {
		return "", nil, machine(err)
	}
	if f.Diags.HasErrors() {
		g.PrintDiagnostics(g.Stderr, f)
		return "", nil, exit.Fail(exit.Errors, "the fabric of the mirror has errors at the commit %s", commit)
	}
	of := map[string]bool{}
	for _, d := range f.Fabric.Devices {
		if d.Site != "" {
			of[d.Site] = true
		}
	}
	return f.Fabric.Name, slices.Sorted(maps.Keys(of)), nil
}

// chooseSite returns the site of this process: the one that is named, or the only one of the fabric.
func chooseSite(named, fabric string, sites []string) (string, error) {
	switch {
	case len(sites) == 0:
		return "", exit.Fail(exit.Errors, "no device of the fabric %s has a site: a team needs site = \"NAME\" on each device", fabric)
	case named == "" && len(sites) > 1:
		return "", exit.Fail(exit.Usage, "the fabric %s has the sites %s: --site names the one of this process", fabric, diag.And(sites))
	case named != "" && !slices.Contains(sites, named):
		return "", exit.Fail(exit.Usage, "the fabric %s has no site %s: it has %s", fabric, named, diag.And(sites))
	case named == "":
		return sites[0], nil
	}
	return named, nil
}

// readyMirror returns why a mirror is of no use.
func readyMirror(ctx context.Context, dir string) error {
	if _, err := revision.Resolve(ctx, dir, "HEAD"); err != nil {
		return fmt.Errorf("the mirror of the fabric has no commit: %w", err)
	}
	return nil
}
