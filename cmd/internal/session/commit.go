package session

import (
	"context"
	"os/exec"
	"strings"
	"time"
)

// CommitOf returns the commit of the repository that contains a folder, with a "+" if files below the folder differ from the commit. It
// is empty without a commit or without git.
func CommitOf(dir string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	git := func(args ...string) (string, error) {
		out, err := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...).Output()
		return strings.TrimSpace(string(out)), err
	}
	commit, err := git("rev-parse", "HEAD")
	if err != nil {
		return ""
	}
	if changed, err := git("status", "--porcelain", "--", "."); err == nil && changed != "" {
		commit += "+"
	}
	return commit
}

// Uncommitted returns the files below a folder that differ from the commit of its git repository. It leaves out saved plans and their
// signatures, which no fabric reads.
func Uncommitted(dir string) (files []string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "git", "-C", dir, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--", ".").
		Output()
	if err != nil {
		return nil
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		name, untracked := strings.CutPrefix(line, "?? ")
		switch {
		case len(line) <= len("?? "), untracked && (strings.HasSuffix(name, ".plan") || strings.HasSuffix(name, ".sig")):
		default:
			files = append(files, line[len("?? "):])
		}
	}
	return files
}
