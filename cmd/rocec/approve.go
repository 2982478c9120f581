package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/savedplan"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/team"
	"github.com/rocec/rocec/lang/diag"
)

func approveCommand(a *app) *cobra.Command {
	yes := false
	var o teamOptions
	cmd := &cobra.Command{
		Use:   "approve PLAN | approve --team RUN --wave SITE/N",
		Short: "sign a saved plan with your SSH key, for apply --plan",
		Long: "Approve prints what a saved plan does, asks, and signs the plan with the key of --sign-key: a key in a file, in an agent or\n" +
			"in a token, or a certificate. It writes the signature beside the plan. apply --plan wants as many approvals as the fabric\n" +
			"(approvals) or the policy of the site asks for, of persons other than the one who applies the plan.\n\n" +
			"With --team it approves a wave of a run of the team, which plan --team --hold-before has held.",
		Example: "  rocec approve change.plan --sign-key ~/.ssh/id_ed25519_sk",
		Args:    takes(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if done, err := ofTeam(a, cmd, args, &o, "text", func(t *team.Client) error {
				return t.ApproveWave(cmd.Context(), args[0], o.wave, yes)
			}, "auto-approve"); done {
				return err
			}
			return approve(cmd.Context(), a, args[0], yes)
		},
	}
	approveFlag(cmd, &yes, "sign without asking")
	teamFlags(cmd, &o)
	cmd.Flags().StringVar(&o.wave, "wave", "", "with --team: the `wave` that may begin, as the site and its number there, such as dc2/1")
	return cmd
}

// approve signs a saved plan, once a person has seen it.
func approve(ctx context.Context, a *app, plan string, yes bool) error {
	r, err := session.Rights(a.Session, false)
	if err != nil {
		return err
	}
	if r.Key == "" {
		return exit.Fail(exit.Usage, "approve signs with an SSH key: name one with --sign-key, or in %s", session.KeyVariable)
	}
	saved, err := savedplan.Read(plan)
	if err != nil {
		return err
	}
	if saved.Terms == nil || !time.Now().Before(saved.Terms.Expires) {
		return exit.Fail(exit.Usage, "%s may not be applied any more: make the plan again", diag.Escape(plan))
	}
	a.Screen().SavedPlan(saved)
	if !yes {
		if err := a.Ask(ctx, "Approve this plan?", "yes"); err != nil {
			return err
		}
	}
	name, err := savedplan.Sign(ctx, r, plan, saved, sshsig.RoleApprove)
	if err != nil {
		return err
	}
	a.Say("Signed: %s. Keep it beside the plan.", diag.Escape(name))
	signers, from, err := r.Signers()
	if errors.Is(err, fs.ErrNotExist) {
		a.Say("This machine has no %s, so rocec has not checked here whether your key may approve plans.", diag.Escape(from))
		return nil
	}
	if err != nil {
		return exit.Fail(exit.Machines, "%v", err)
	}
	signed, err := savedplan.ReadSigned(plan, saved, signers, time.Now())
	if err != nil {
		return err
	}
	for _, line := range savedplan.Describe(signed) {
		fmt.Fprintln(a.Stdout, diag.Escape(line))
	}
	if slices.ContainsFunc(signed.Rejected, func(one savedplan.Rejected) bool { return one.File == filepath.Base(name) }) {
		return exit.Fail(exit.Errors, "your signature does not count as an approval")
	}
	return nil
}
