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

# Packages tested at once: as many as there are processors. Tests of a package run
# side by side, too, so that one more keeps no processor busier and only makes each
# slower.
PACKAGES    := $(or $(shell getconf _NPROCESSORS_ONLN),2)

.PHONY: test race proof setup look vet lint contract-lint fuzz bench build release vulncheck generate-check site

# Every package, with samples of what goes through many cases (-short). With SHORT=
# all that the build server runs. The limit is there for what hangs.
SHORT ?= -short
test: look
	$(GO) test $(SHORT) $(LINK) $(VET) -p $(PACKAGES) -timeout 25m ./...

# With the race detector, under which all is ten times slower: the packages whose
# values goroutines share, and of tests whose cases take the same paths again and
# again fewer (-short). C is not watched, and compiled in haste. Everything: make race RACED=./...
RACED ?= ./aiquery ./aiquery/httpapi ./aiquery/aiclient ./aiquery/internal/... ./erp ./erp/erptest/internal/layer ./erp/erptest/internal/store ./internal/apiclient ./internal/httpserver/... ./internal/atomicfile \
	./tokens/... ./dict/registry ./cmd/internal/spool ./generator ./generator/httpapi ./mcp ./mcp/server \
	./cmd/internal/shell ./cmd/internal/board
RACETIME ?= 15m
race: look
	CGO_CFLAGS='-O0 -g0' $(GO) test $(LINK) $(VET) $(RACEFLAGS) -short -timeout $(RACETIME) $(RACED)

# What takes too long for every change, in parts of at most half an hour each on two
# processors, but for the soak, which takes one: make proof PART=apply. Without PART all
# of them, one after the other, in about six hours.
#
#   systems      builds for other systems, and a release built twice
#   definitions  every combination of templates by REST and by script, and packages
#   dictionary   reading a dictionary anew and refreshing it, and the definitions of the ERP's own tables
#   apply        a kill at every second request of a large plan, and going on after each
#   twin         equal twins, kills, a million rows, large attachments
#   import       a kill at every request of an import, and flat memory over a million rows
#   calls        a thousand histories of the spool, 500 of its folder, those of databases over one image, 500 steps of the mirror
#   logins       a week of tokens, interrupts at hundreds of moments of a refresh
#   siblings     50,000 statements on databases that differ in what is hidden, half of them in each of two parts
#   statements   random statements for ten minutes, 20,000 pairs of questions, the greediest statements, metrics
#   programs     the tool server as a position-independent program
#   fuzz         the SQL parsers, five minutes each target
#   race-…       the race detector everywhere
#   soak         all servers under mixed load, half an hour each of the two
PARTS := systems definitions dictionary apply twin import calls logins siblings-1 siblings-2 statements programs fuzz race-library race-commands race-rest soak
PART ?= $(PARTS)
.PHONY: $(PARTS:%=proof-%)
proof: setup
	@for part in $(PART); do echo "proof: $$part"; $(MAKE) --no-print-directory "proof-$$part" || exit 1; done

PROVE := ERPHUB_PROOF=1 $(GO) test -count=1 -timeout 30m -v
proof-systems:
	CGO_ENABLED=0 GOOS=windows $(GO) build -o /dev/null ./cmd/...
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 $(GO) build -o /dev/null ./cmd/...
	$(PROVE) -run 'TestReproducible$$' ./internal/release
proof-definitions:
	$(PROVE) -run 'Agrees|TestPackageEqualsREST$$' ./dict/migration ./dict/pack
proof-dictionary:
	$(PROVE) -run 'TestRefreshEqualsLoad$$' ./dict/registry
	$(PROVE) -run 'TestRowsChangeBetweenPages$$' ./dict/restdict
	$(PROVE) -run 'TestDefinitionsOfTheERPsOwn|TestInspectedIsNoDrift' ./dict/diff ./cmd/erphub
proof-apply:
	ERPHUB_KILL_EVERY=2 $(PROVE) -run 'TestKilled$$|TestResumeAfterEveryRequest$$' ./dict/restdict
proof-twin:
	$(PROVE) -run 'TestEqual|TestKilled|TestManyRows|TestMillionRows|TestLargeAttachments' ./erp/erptest/twin
proof-import:
	ERPHUB_KILL_EVERY=1 $(PROVE) -run 'TestKilled$$|TestFlatMemory$$|TestTenThousand$$' ./dict/transfer
proof-calls:
	ERPHUB_SPOOL_SEED=1000 ERPHUB_SPOOL_SEEDS=1000 $(PROVE) -run 'TestRandomHistories|TestKilledAtRandom' ./cmd/internal/spool
	ERPHUB_OUTBOX_SEED=1000 ERPHUB_OUTBOX_SEEDS=500 $(PROVE) -run 'TestRandomHistories$$' ./cmd/internal/outbox
	CGO_CFLAGS='-O0 -g0' $(PROVE) $(RACEFLAGS) -run TestRandomHistories ./erp/erptest/internal/layer
	ERPHUB_MIRROR_SEED=$$(date +%s) ERPHUB_MIRROR_STEPS=500 $(PROVE) -run TestRandomHistories ./internal/pgmirror
proof-logins:
	$(PROVE) -run 'TestWeek$$' ./tokens
	$(PROVE) -run 'TestInterruptKeepsTheLogin|TestLoginIsKilled|TestRenamingIsKilled' ./cmd/erphub
proof-siblings-1 proof-siblings-2:
	ERPHUB_FUZZ_SEED=random ERPHUB_SIBLINGS=25000 $(PROVE) -run 'TestSiblings$$' ./aiquery
proof-statements:
	ERPHUB_FUZZ_SEED=random ERPHUB_FUZZ_TIME=10m $(PROVE) -run TestRandomStatements ./aiquery
	ERPHUB_FUZZ_SEED=random ERPHUB_PAIRS=20000 $(PROVE) -run 'TestPairs$$|TestPlansDecideNothing$$|TestMemoryOfStatements$$' ./aiquery
	$(PROVE) -run TestNumbers ./aiquery/metrics
proof-programs:
	$(PROVE) -run 'TestRealProgram$$' ./cmd/erphub-mcp
proof-fuzz:
	bash .ci/fuzz 5m ./aiquery/guard ./aiquery/embedded/internal/sqlite
proof-race-library:
	$(MAKE) race RACED='./erp/... ./dict/... ./tokens/... ./deploylog/...' RACETIME=30m
proof-race-commands:
	$(MAKE) race RACED='./cmd/... ./mcp/...' RACETIME=30m
proof-race-rest:
	$(MAKE) race RACED='. ./aiquery/... ./generator/... ./internal/... ./examples/... ./docs/...' RACETIME=30m
proof-soak:
	ERPHUB_SOAK=$${ERPHUB_SOAK:-30m} $(GO) test -count=1 -timeout 0 -p 1 -run 'TestSoak$$' -v ./cmd/erphub-mcp ./cmd/erphub

# The documents as pages with search: open site/index.html.
site:
	$(GO) run ./internal/site -o site

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
