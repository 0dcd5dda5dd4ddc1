#!/bin/sh
# From a CSV file to firmware, with a program for this computer in the place of the board.
# sh examples/board/run.sh [FOLDER]    writes to FOLDER (build/board); README.md explains the steps.
set -e
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-build/board}
mkdir -p "$folder"
cd "$folder"

echo "1. log the sensors"
python "$here/record.py" > pump.csv
python "$here/record.py" live > live.csv

echo "2. evolve a network"
dsgec evolve pump.csv --effort quick --out runs --overwrite

echo "3. export a small one in single precision"
dsgec export runs/pump-shared_softmax-seed1 --pick at-most 20 --to c --dtype float --name pump -o .

echo "4. run the self-test on its own"
${CC:-cc} -std=c99 -Os -DPUMP_SELFTEST_MAIN pump.c pump_selftest.c -o selftest
./selftest

echo "5. measure the flash: text and data"
${CC:-cc} -std=c99 -Os -DPUMP_NO_BATCH -c pump.c -o pump.o
size pump.o

echo "6. build the firmware and run it"
${CC:-cc} -std=c99 -Os -I. -DPUMP_NO_BATCH -c pump_selftest.c -o pump_selftest.o
${CC:-cc} -std=c99 -Os -I. "$here/main.c" pump.o pump_selftest.o -o firmware
./firmware < live.csv
