//! The governor of a cell: its effect as the host profile states it, or the rule of its clock.

use stripewise_profiles::host::{ClockProfile, GovernorProfile};
use stripewise_profiles::kernel::Policy;

use super::Setup;
use super::clock::{NoRule, Rule};
use super::cpu::Cores;
use super::setup::SetupError;

impl Setup<'_> {
    /// Returns the name of the governor that applies.
    fn governor_name(&self) -> &str {
        let name = self.conditions.governor.as_ref();
        name.unwrap_or(&self.host.governor_default)
    }

    /// Returns the clocks of a host, if the governor that applies is simulated.
    pub(super) fn simulated_clock(&self) -> Option<&ClockProfile> {
        let is_stated = self.host.governor.contains_key(self.governor_name());
        self.host.clock.as_ref().filter(|_| !is_stated)
    }

    /// Returns the stated effect of the governor; a simulated one is given to the cores.
    pub(super) fn governor(
        &self,
        policy: &Policy,
        cores: &mut Cores,
    ) -> Result<GovernorProfile, SetupError> {
        let (host, name) = (self.host, self.governor_name());
        if let Some(clock) = self.simulated_clock() {
            let latency = self.conditions.cpu_dma_latency_us;
            let rule = Rule::new(clock, &policy.clock, name, latency);
            cores.set_clocks(rule.map_err(|why| self.no_rule(why))?);
            return Ok(GovernorProfile {
                clock_percent: 100,
                wake_extra_ns: 0,
            });
        }
        host.governor.get(name).copied().ok_or_else(|| {
            let known: Vec<String> = host.governor.keys().map(|key| format!("`{key}`")).collect();
            SetupError::Governor {
                host: host.name.clone(),
                governor: name.to_owned(),
                known: known.join(", "),
            }
        })
    }

    fn no_rule(&self, why: NoRule) -> SetupError {
        let governor = self.governor_name().to_owned();
        match why {
            NoRule::Missing(driver, known) => {
                let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
                SetupError::NoSuchGovernor {
                    driver,
                    kernel: self.kernel,
                    governor,
                    known: known.join(", "),
                }
            }
            NoRule::Hardware(driver) => SetupError::Unsupported {
                what: format!(
                    "the governor `{governor}` of {driver}: the processor chooses its clock itself; \
                     the result lies between those of `performance` and of the lowest clock, which is \
                     `powersave` on Linux 5.8 with `p_states = \"intel\"` in the host profile"
                ),
            },
        }
    }
}
