# The commands people and the build server run. `make test` needs nothing but
# Go and says what it skips; `make setup` installs what some tests want.

GO          ?= go
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME    ?= 1s
# The race detector watches Go code. SQLite's, which is translated C, is left
# out: watching every access of it takes twenty times as long and finds nothing
# of ours.
RACEFLAGS   := -race '-gcflags=modernc.org/...=-race=false -d=checkptr=0'

# Test programs are linked without data for debuggers, which is half of the time
# that linking takes; panics show files and lines all the same.
LINK        := -ldflags=-w

# make vet looks for more than go test does, and at everything; once is enough.
VET         := -vet=off

# Packages tested at once: one more than there are processors, because tests wait
# for servers, processes and each other now and then.
PACKAGES    := $(or $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1),3)

.PHONY: test race proof setup look vet lint contract-lint fuzz bench build release vulncheck generate-check

test: look
	$(GO) test $(LINK) $(VET) -p $(PACKAGES) -timeout 15m ./...

# With the race detector, under which all is ten times slower: the packages whose
# values goroutines share, and of tests whose cases take the same paths again and
# again fewer (-short). Two long ones that start no goroutines are left to make
# test. C is not watched, and compiled in haste. Everything: make race RACED=./... UNRACED=
RACED ?= ./aiquery ./aiquery/httpapi ./aiquery/aiclient ./aiquery/internal/... ./erp ./internal/apiclient ./internal/httpserver/... ./internal/atomicfile \
	./tokens/... ./dict/registry ./deploylog/board ./deploylog/spool ./generator/artifacts ./generator/httpapi ./mcp ./mcp/boundary/... ./mcp/server \
	./cmd/internal/shell
UNRACED ?= ^(TestRowsOfTheERPsOwnRoles|TestTemporaryFilesAreLimited)$$
race: look
	CGO_CFLAGS='-O0 -g0' $(GO) test $(LINK) $(VET) $(RACEFLAGS) -short -skip '$(UNRACED)' -timeout 15m $(RACED)

# What takes too long for every change: builds for other systems, the race
# detector everywhere, a kill at every request of an import, a million rows, every combination of templates by REST and by script, a kill at every request of a large plan, a thousand histories
# of the spool, interrupts at hundreds of moments of a token refresh, random
# statements for ten minutes (make test: a thousand), 20,000 pairs of questions (make
# test: two thousand), the greediest statements,
# the tool server as a position-independent program, a release built twice, the tool server and all servers together
# under mixed load for two hours each, or as long as ERPHUB_SOAK says. Seven hours.
proof: setup
	CGO_ENABLED=0 GOOS=windows $(GO) build -o /dev/null ./cmd/...
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 $(GO) build -o /dev/null ./cmd/...
	ERPHUB_PROOF=1 $(GO) test -timeout 1h -run 'Agrees|TestPackageEqualsREST$$' ./dict/migration ./dict/pack
	ERPHUB_PROOF=1 $(GO) test -timeout 20m -run 'TestWeek$$' ./tokens
	ERPHUB_PROOF=1 $(GO) test -timeout 20m -run 'TestRefreshEqualsLoad$$' ./dict/registry
	ERPHUB_PROOF=1 $(GO) test -timeout 20m -run 'TestDefinitionsOfTheERPsOwn|TestInspectedIsNoDrift' ./dict/diff ./cmd/erphub
	ERPHUB_KILL_EVERY=1 $(GO) test -timeout 3h -run 'TestKilled$$' ./dict/restdict
	ERPHUB_PROOF=1 $(GO) test -timeout 30m -run 'TestResumeAfterEveryRequest$$' ./dict/restdict
	ERPHUB_PROOF=1 $(GO) test -timeout 30m -run 'TestEqual|TestKilled|TestManyRows|TestMillionRows|TestLargeAttachments' -v ./erp/erptest/twin
	ERPHUB_KILL_EVERY=1 $(GO) test -timeout 1h -run 'TestKilled$$' ./erp/transfer
	ERPHUB_PROOF=1 $(GO) test -timeout 20m -run 'TestFlatMemory$$|TestTenThousand$$' -v ./erp/transfer
	ERPHUB_SPOOL_SEED=1000 ERPHUB_SPOOL_SEEDS=1000 $(GO) test -timeout 1h -run 'TestRandomHistories|TestKilledAtRandom' ./deploylog/spool
	ERPHUB_PROOF=1 $(GO) test -timeout 20m -run 'TestInterruptKeepsTheLogin|TestLoginIsKilled|TestRenamingIsKilled' ./cmd/erphub
	ERPHUB_MIRROR_SEED=$$(date +%s) ERPHUB_MIRROR_STEPS=500 $(GO) test -timeout 20m -run TestRandomHistories ./internal/pgmirror
	ERPHUB_PROOF=1 $(GO) test -timeout 30m -run TestNumbers ./aiquery/metrics
	ERPHUB_FUZZ_SEED=random ERPHUB_FUZZ_TIME=10m $(GO) test -timeout 20m -run TestRandomStatements ./aiquery
	ERPHUB_FUZZ_SEED=random ERPHUB_PAIRS=20000 $(GO) test -timeout 40m -run 'TestPairs$$|TestPlansDecideNothing$$' ./aiquery
	ERPHUB_PROOF=1 $(GO) test -timeout 20m -run TestMemoryOfStatements ./aiquery
	ERPHUB_PROOF=1 $(GO) test -timeout 20m -run 'TestRealProgram$$' ./cmd/erphub-mcp
	ERPHUB_SOAK=$${ERPHUB_SOAK:-2h} $(GO) test -timeout 0 -p 1 -run 'TestSoak$$' -v ./cmd/erphub-mcp ./cmd/erphub
	ERPHUB_PROOF=1 $(GO) test -timeout 30m -run 'TestReproducible$$' -v ./internal/release
	$(MAKE) race RACED=./... UNRACED=
	bash .ci/fuzz 5m ./aiquery/guard ./aiquery/embedded/internal/sqlite

# Installs what some tests need beyond Go.
setup:
	@bash .ci/setup

# Says what will be skipped; on a build server (CI=true) it is setup.
look:
	@bash .ci/setup look

vet:
	$(GO) vet ./...

lint:
	@files=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$files" ]; then echo "not formatted:"; echo "$$files"; exit 1; fi
	$(GO) run $(STATICCHECK) ./...

contract-lint:
	@bash erp/contract/lint.sh

# Every fuzz target for a short time; a longer run is FUZZTIME=10m make fuzz.
fuzz:
	@bash .ci/fuzz $(FUZZTIME)

# What was aimed at and what is measured, in one table; BENCH=mcp for a part of it.
bench:
	@$(GO) run ./internal/benchtable $(BENCH)

build:
	$(GO) build ./... 

# Archives of the programs for all systems, parts lists and checksums, of the
# commit that is checked out: make release VERSION=v1.2.3, with the section of the
# version in CHANGELOG.md. The same commit gives the same bytes.
DIST ?= dist
release:
	$(GO) run ./internal/release -version '$(VERSION)' -out '$(DIST)'

# Known vulnerabilities of what is linked; skipped, aloud, without a network.
vulncheck:
	@bash .ci/vulncheck

generate-check:
	@bash .ci/generate-check
